"""tunepass as a strategy of Kernel Tuner.

    from tunepass.integrations.kernel_tuner import TunepassStrategy
    kernel_tuner.tune_kernel(..., strategy=TunepassStrategy(seed=1), strategy_options={"max_fevals": 60})

Kernel Tuner (the extra `kernel-tuner`) is imported when it calls the strategy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.evaluators.recorded.kernel_tuner import parameter_of
from tunepass.expr.from_python import from_python
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    Result = dict[str, Any]

STAGES = {"CompilationFailedConfig": "compile", "RuntimeFailedConfig": "run"}
MOST_LISTED = 2_000_000  # legal configurations


class KernelTunerSpace(Protocol):
    """A `kernel_tuner.searchspace.Searchspace`: its values by name, and its legal configurations."""

    tune_params: Mapping[str, Sequence[Any]]
    list: Sequence[tuple[Any, ...]]


class TunepassStrategy:
    """A strategy for `kernel_tuner.tune_kernel(strategy=...)`: a study of tunepass suggests the configurations.

    Args:
        strategy: the name of a strategy of tunepass, or a function of a Task.
        seed: of every random choice.

    Raises (when Kernel Tuner calls it):
        StudyError: the strategy is unknown, or the space has more than 2,000,000 legal configurations.

    Example:
        >>> from tunepass.integrations.kernel_tuner import TunepassStrategy
        >>> TunepassStrategy(seed=1).seed
        1

    Source: `kernel_tuner.strategies.wrapper` and `.common` of Kernel Tuner 1.5: a strategy has the method `tune`, and
    a cost function raises StopCriterionReached when the budget is spent.
    """

    def __init__(self, strategy: str | Factory = "auto", seed: int = 0):
        self.strategy, self.seed = strategy, seed

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> list[Result]:
        """Results of the evaluated configurations, as Kernel Tuner's own strategies return them."""
        from kernel_tuner.strategies.common import CostFunc
        from kernel_tuner.util import StopCriterionReached

        cost = CostFunc(searchspace, tuning_options, runner, scaling=False, snap=False)
        options = tuning_options.strategy_options
        objectives = objectives_of(tuning_options.objective)
        parameters = [parameter_of(name, list(map(plain, values))) for name, values in searchspace.tune_params.items()]
        tuples = _by_configuration(searchspace, parameters)
        study = Study(
            space_of(searchspace, parameters, list(tuples)),
            objectives,
            strategy=self.strategy,
            seed=self.seed,
            max_evals=options.get("max_fevals"),
            repeats=False,
        )
        try:
            while suggested := study.suggest():
                for configuration in suggested:
                    costs = cost(tuples[configuration])
                    study.observe(configuration, outcome_of(costs, cost.results[-1], objectives))
        except StopCriterionReached:
            pass
        results: list[Result] = cost.results
        return results


def objectives_of(names: str | Sequence[str]) -> tuple[Objective, ...]:
    """Objectives of tunepass for Kernel Tuner's, whose costs are minimised."""
    listed = [names] if isinstance(names, str) else list(names)
    plain = ["".join(c if c.isascii() and c.isalnum() else "_" for c in name) for name in listed]
    return tuple(Objective(name if name[:1].isalpha() else f"o{i}_{name}") for i, name in enumerate(plain))


def plain(value: Any) -> Value:
    """The value of Python for one of NumPy; a list is a tuple, and any other object its text."""
    item = value.item() if hasattr(value, "item") else value
    if isinstance(item, bool | int | float | str):
        return item
    return str(item)


def _by_configuration(
    searchspace: KernelTunerSpace, parameters: Sequence[Parameter]
) -> dict[Configuration, tuple[Any, ...]]:
    """Kernel Tuner's tuple of each legal configuration."""
    if len(searchspace.list) > MOST_LISTED:
        raise StudyError(
            f"the space has {len(searchspace.list):,} legal configurations, {MOST_LISTED:,} at most are read"
        )
    names = [p.name for p in parameters]
    return {Configuration(dict(zip(names, map(plain, row)))): tuple(row) for row in searchspace.list}


def space_of(searchspace: Any, parameters: Sequence[Parameter], legal: Sequence[Configuration]) -> Space:
    """The space by its restrictions, if they are texts that say exactly what is legal; else the table of `legal`."""
    restrictions = getattr(searchspace, "original_restrictions", None) or []
    if all(isinstance(text, str) for text in restrictions):
        try:
            space = Space(parameters, [from_python(text, {}, {}) for text in restrictions])
            if space.finite and space.complete and space.size == len(legal) and _all_inside(space, legal):
                return space
        except TunepassError:
            pass  # a restriction has no translation
    return Space.from_table(legal, parameters)


def _all_inside(space: Space, legal: Sequence[Configuration]) -> bool:
    return bool(space.contains_columns(space.columns(legal)).all())


def outcome_of(costs: float | Sequence[float], result: Mapping[str, Any], objectives: Sequence[Objective]) -> Outcome:
    """The outcome of an evaluation: measured costs, with the standard error of the times; or what failed."""
    error = result.get("__error__")
    if error is not None:
        name = type(error).__name__ if not isinstance(error, str) or type(error) is not str else str(error)
        return Infeasible("restrictions") if name == "InvalidConfig" else Failed(STAGES.get(name, "run"), name)
    values = [float(costs)] if isinstance(costs, int | float) else [float(c) for c in costs]
    if not all(map(math.isfinite, values)):
        return Failed("metric", f"a cost is {values}")
    measured = {o.name: value for o, value in zip(objectives, values)}
    times = [float(t) for t in result.get("times") or () if math.isfinite(t)]
    if len(objectives) == 1 and objectives[0].name == "time" and len(times) > 1:
        mean = math.fsum(times) / len(times)
        variance = math.fsum((t - mean) ** 2 for t in times) / (len(times) - 1)
        return Measured(measured, deviation={"time": math.sqrt(variance / len(times))})
    return Measured(measured)
