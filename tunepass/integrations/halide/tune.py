"""From a pipeline of Halide to its kernel, its search and the text of the chosen schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from tunepass.integrations.halide.algorithm import Algorithm
from tunepass.integrations.halide.evaluator import PipelineRun, Recipe, by_directives
from tunepass.integrations.halide.nests import Directive
from tunepass.integrations.halide.schedules import ScheduleSpace
from tunepass.integrations.halide.seed_schedules import seed_schedules
from tunepass.integrations.halide.text import cpp_text, python_text
from tunepass.integrations.halide.tuning import Tuning
from tunepass.integrations.tool_problem import ToolProblem
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Result
from tunepass.search.options import SearchOptions
from tunepass.search.stop import never
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.study.outcome import Evaluate


@dataclass(frozen=True)
class Problem(ToolProblem):
    """A pipeline with what may vary in its schedule: a kernel, an evaluator and files for a pipeline of tunepass.

    Args:
        algorithm: the pipeline of Halide, its sizes and values.
        tuning: what may vary.

    Raises:
        SpaceError: a place for a Func that is unknown, an output, or that no one loop nest encloses.

    Example:
        >>> problem = halide.Problem(halide.Algorithm(blur_y, (640, 480)))
        >>> result = problem.pipeline(max_evals=40).run(problem.kernel)
    """

    algorithm: Algorithm
    tuning: Tuning = field(default_factory=Tuning)

    def __post_init__(self) -> None:
        self.schedules  # noqa: B018 (raises)

    @cached_property
    def schedules(self) -> ScheduleSpace:
        return ScheduleSpace(self.algorithm.description, self.algorithm.output_shapes, self.tuning)

    @cached_property
    def kernel(self) -> Kernel:
        source = self.algorithm.source
        parameters = tuple(self.schedules.parameters)
        span = source.span(0, len(source.text.partition("\n")[0]))
        return Kernel(name=self.algorithm.name, language="halide", source=source, parameters=parameters, span=span)

    def directives(self, choice: Configuration) -> tuple[Directive, ...]:
        """The schedule of a configuration."""
        return self.schedules.directives(choice)

    def recipe(self, choice: Configuration) -> Recipe:
        return by_directives(self.directives(choice))

    @contextmanager
    def evaluator(self, kernel: Kernel) -> Iterator[Evaluate]:
        """How a configuration of the kernel is measured."""
        default = Configuration({p.name: p.default for p in kernel.parameters})
        with PipelineRun(self.algorithm, kernel, self.recipe, self.recipe(default), self.tuning.threads) as run:
            yield run

    def emit(self, kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
        """The chosen schedule as a function in Python and in C++."""
        chosen = Configuration({choice.parameter: choice.value for choice in kernel.schedule})
        directives, description = self.directives(chosen), self.algorithm.description
        stem = self.algorithm.name
        return (
            EmittedFile(f"{stem}_schedule.py", python_text(description, directives, note)),
            EmittedFile(f"{stem}_schedule.h", cpp_text(description, directives, note)),
        )

    def openings(self) -> tuple[Opening, ...]:
        """Schedules that an expert tries first."""
        return seed_schedules(self.schedules)

    @property
    def identity(self) -> Mapping[str, str]:
        """Texts that results depend on besides the algorithm's text."""
        return {**self.algorithm.identity, "threads": str(self.tuning.threads)}


def tune(
    algorithm: Algorithm,
    tuning: Tuning | None = None,
    *,
    options: SearchOptions | None = None,
    max_evals: int | None = None,
    seed: int = 0,
    stop: Callable[[], bool] = never,
) -> Result:
    """Search the schedule of a pipeline of Halide.

    Args:
        algorithm: the pipeline, its sizes and values.
        tuning: what may vary; None: the usual.
        options: how to search, in place of `max_evals` and `seed`.
        max_evals: limit of evaluations; None: no limit.
        seed: of the search.
        stop: called after each evaluation; True ends the search.

    Returns:
        The result: `choice`, and in `compilation.files` the schedule in Python and in C++.

    Raises:
        TunepassError: as `Problem`, and where the pipeline as it came cannot be run.

    Example:
        >>> result = halide.tune(halide.Algorithm(blur_y, (640, 480)), max_evals=60)
        >>> result.compilation.files[0].name
        'blur_y_schedule.py'
    """
    return Problem(algorithm, tuning or Tuning()).search(options=options, max_evals=max_evals, seed=seed, stop=stop)
