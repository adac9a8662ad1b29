"""A configuration under evaluation, as `optimize` passes it to the caller's function."""

from __future__ import annotations

from typing import Protocol

from tunepass.space.configuration import Configuration
from tunepass.study.comparison.instances import Instance


class Pruned(Exception):
    """Raised by a function that `Study.optimize` calls, to end its evaluation early: the trial is censored.

    Example:
        >>> def train(trial):
        ...     for epoch in range(3):
        ...         trial.report(epoch, float(trial["tile"]))
        ...         if trial.should_prune():
        ...             raise tp.Pruned
        ...     return float(trial["tile"])
        >>> tp.Study(space, [tp.Objective("loss")], pruner=tp.SuccessiveHalving()).optimize(train, n_trials=4)
    """

    def __init__(self, *arguments: object):
        super().__init__(*arguments)


class Reporting(Protocol):
    """The part of a study that a running trial uses."""

    def report(self, trial: Configuration, step: int, value: float) -> None: ...

    def should_prune(self, trial: Configuration) -> bool: ...


class RunningTrial(Configuration):
    """A configuration under evaluation: a mapping of parameters to values that takes intermediate values.

    Args:
        configuration: a value for each parameter.
        study: the study that suggested it.
        instance: the one to evaluate on, where the study has instances.

    Example:
        >>> study = tp.Study(space, [tp.Objective("time")])
        >>> trial = tp.RunningTrial(study.suggest()[0], study)
        >>> trial["tile"], trial.configuration
        (8, Configuration(tile=8, unroll=1))
        >>> trial.report(1, 3.5)
        >>> trial.should_prune()
        False
    """

    __slots__ = ("_study", "instance")

    def __init__(self, configuration: Configuration, study: Reporting, instance: Instance | None = None):
        super().__init__(configuration)
        self._study, self.instance = study, instance

    def __repr__(self) -> str:
        return f"<RunningTrial of {self.configuration!r}>"

    @property
    def configuration(self) -> Configuration:
        """The plain configuration."""
        return Configuration(self)

    def on(self, instance: Instance) -> RunningTrial:
        """The same configuration, to be evaluated on an instance."""
        return RunningTrial(self.configuration, self._study, instance)

    def report(self, step: int, value: float) -> None:
        """Store an intermediate value of the objective; see `Study.report`."""
        self._study.report(self, step, value)

    def should_prune(self) -> bool:
        """Does the study's pruner end this evaluation? If so, raise `tp.Pruned`."""
        return self._study.should_prune(self)
