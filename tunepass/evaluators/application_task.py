"""Task of the evaluator of applications."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.diagnostics import Span
from tunepass.evaluators.measure.inputs import OverInputs
from tunepass.evaluators.measure.metrics import OutputMetric, Usage
from tunepass.evaluators.measure.repeats import WALL_TIME
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.source_tree import Sources
from tunepass.evaluators.toolchains.source_files import FileRead
from tunepass.ir.application import Commands, Words
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective

PLAN = MeasurePlan(budget_s=3.0, precision=0.01, least=3, most=15)
Lower = Callable[[Configuration, str], Commands]  # (configuration, build folder)
Probe = Callable[[Configuration, str], tuple[Words, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationTask:
    """`private`: built and run in a private copy of the sources, else where they are. `reference` is the configuration
    whose output is right and whose time bounds the others'. `probe` are its build commands with a flag that no compiler
    takes. Without `metrics` the wall time in ms counts. `products` is a folder for those of the finalists."""

    sources: Sources
    lower: Lower
    reference: Configuration
    private: bool = True
    product: str = ""
    products: Path | None = None
    span: Span | None = None  # of the build
    probe: Probe | None = None
    over: OverInputs | None = None  # several inputs
    files: tuple[FileRead, ...] = ()  # what is built; a search ends when one of them changes
    metrics: tuple[OutputMetric | Usage, ...] = ()
    compared: tuple[OutputMetric, ...] = ()
    whole_output: bool = False
    tolerance: Tolerance = field(default_factory=lambda: Tolerance(ulps=0))
    plan: MeasurePlan = PLAN
    build_limits: Limits = field(default_factory=lambda: Limits(wall_s=120, processes=256))
    run_limits: Limits = field(default_factory=lambda: Limits(wall_s=120))
    adapt_limit: bool = True

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(metric.objective for metric in self.metrics) or (WALL_TIME,)

    @property
    def over_inputs(self) -> OverInputs:
        return self.over or OverInputs(self.objectives)

    @property
    def compares(self) -> bool:
        return self.whole_output or bool(self.compared)
