"""Task of an evaluator for a kernel that runs in a generated harness."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tunepass.evaluators.harness.reference.cases import Inputs
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.toolchains.compiling import CompileLimits
from tunepass.evaluators.toolchains.source_files import SourceFiles
from tunepass.ir.candidate import Candidate, Lower
from tunepass.space.configuration import Configuration

Metric = Literal["time", "instructions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTask:
    """All that a CompileRun needs to know. `command` is the compiler and its words, `text` the source's own text;
    `reference` is the candidate that the untouched source stands for; results, in milliseconds unless `metric` says
    otherwise, are named `objective`."""

    command: tuple[str, ...]
    source: Path
    text: str
    harness: str
    lower: Lower
    reference: Candidate = field(default_factory=Candidate)
    files: SourceFiles | None = None  # what is compiled; a search ends when one of them changes
    language: str = "c"
    tolerance: StatedTolerance = field(default_factory=StatedTolerance)
    seeds: tuple[int, ...] = (1, 2)  # the last one is timed
    inputs: Inputs = field(default_factory=Inputs)
    sizes_of: Callable[[Configuration], Collection[int]] | None = (
        None  # further sizes that a candidate has to be right at
    )
    scalars_of: Callable[[Configuration], Collection[int]] | None = (
        None  # of `inputs.unusual` the values, by their numbers from 1, that it may have at the tuned size
    )
    confirm: Callable[[Reference], None] | None = None  # raises ToolError where the reference itself is wrong
    warnings: tuple[str, ...] = ()  # that concern all results
    uncompared: tuple[str, ...] = ()  # what the kernel may write and nothing compares, in sentences
    serial: str = ""  # why no two calls can be made at once
    fixed_inputs: str = ""  # why no call can have other inputs than an earlier one
    resizable: bool = True  # arrays may have other lengths
    objective: str = "time"
    metric: Metric = "time"  # "instructions": of one call, counted by cachegrind
    plan: MeasurePlan = field(default_factory=MeasurePlan)
    compile_limits: CompileLimits = field(default_factory=CompileLimits)
    run_limits: Limits = field(default_factory=lambda: Limits(wall_s=60, file_bytes=8 << 30))

    def sizes_for(self, configuration: Configuration) -> Collection[int] | None:
        """The further sizes that it has to be right at; None: all."""
        return None if self.sizes_of is None else self.sizes_of(configuration)

    def unusual_scalars(self, configuration: Configuration) -> dict[int, tuple[str, int | float, int | float]]:
        """Values of scalars that it may be called with, though callers may never give them, by the number of the
        further size at which they are tried: a name, that value and the tuned one."""
        allowed = None if self.scalars_of is None else self.scalars_of(configuration)
        unusual = [each for n, each in enumerate(self.inputs.unusual, 1) if allowed is None or n in allowed]
        scalars = {size: (name, value, tuned) for size, name, value, tuned in unusual}
        return scalars | {number: scalars[size] for size, number, _ in self.inputs.moved if size in scalars}
