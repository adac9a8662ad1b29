"""Task of a GpuRun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.evaluators.gpu_run.session import WorkerSetting
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.ir.gpu_call import GpuCall
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuCandidate:
    """What is compiled and how it is launched. `words` are for the compiler (`-DTILE=16`); `text` None stands for the
    source as it is."""

    call: GpuCall
    words: tuple[str, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Module:
    """A file that the driver loads: an object, or a source that it compiles with `words`; what the function is called
    in it; the compiler's log. `code` is a digest of the object, empty where only the driver compiles."""

    file: Path
    function: str
    words: tuple[str, ...] = ()
    code: str = ""
    log: str = ""


Lower = Callable[[Configuration], GpuCandidate]  # raises NoLaunch
Compile = Callable[[GpuCandidate, Path], Module | Failed | Infeasible]  # into an empty folder; safe in several threads


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuTask:
    """All that a GpuRun needs to know. `reference` computes what is right; the results are named `objective`, in
    milliseconds, and `energy`, in millijoules, if that is wanted and the device counts it."""

    worker: WorkerSetting
    lower: Lower
    compile: Compile
    reference: GpuCandidate
    tolerance: StatedTolerance = field(default_factory=StatedTolerance)
    seeds: tuple[int, ...] = (1, 2)  # the last one is timed
    objective: str = "time"
    energy: str | None = None
    plan: MeasurePlan = field(default_factory=MeasurePlan)
    compile_s: float = 120.0
    run_s: float = 60.0  # that one launch may take, with its copies
