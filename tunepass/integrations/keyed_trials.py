"""Trials of a study by the keys under which another tool knows them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real, is_finite
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study


class KeyedTrials:
    """Configurations under evaluation by their keys, until their outcomes are known."""

    def __init__(self, study: Study):
        self.study = study
        self.under_evaluation: dict[Hashable, Configuration] = {}
        self._known = {trial.configuration for trial in study.trials}

    def suggest(self, key: Hashable) -> Configuration | None:
        """The next configuration, the same until the key's outcome is known; None where nothing is left."""
        if key not in self.under_evaluation:
            suggested = self.study.suggest()
            if not suggested:
                return None
            self.under_evaluation[key] = suggested[0]
        return self.under_evaluation[key]

    def complete(self, key: Hashable, outcome: Outcome) -> None:
        """Take in an outcome.

        Raises:
            StudyError: nothing is under evaluation for the key.
        """
        configuration = self.under_evaluation.pop(key, None)
        if configuration is None:
            raise StudyError(f"nothing is under evaluation for trial {key!r}", hint="each trial is completed once")
        self.observe(configuration, outcome)

    def observe(self, configuration: Configuration, outcome: Outcome) -> None:
        """Take in the outcome of any configuration; a further one of a configuration counts as a repeat."""
        self.study.observe(configuration, outcome, again=configuration in self._known)
        self._known.add(configuration)


def outcome_of(values: Mapping[str, object], objectives: Sequence[Objective], metrics: Sequence[str]) -> Outcome:
    """The metrics' values, one for each objective, as an outcome; one that is missing or not finite is a failure."""
    measured = {}
    for objective, metric in zip(objectives, metrics):
        number = as_real(values.get(metric))
        if number is None or not is_finite(number):
            return Failed("metric", f"{metric} is {values.get(metric)!r}")
        measured[objective.name] = number
    return Measured(measured)


def objectives_named(metrics: Sequence[str], maximised: Sequence[bool]) -> tuple[Objective, ...]:
    """Objectives of a study for metrics with any names."""
    plain = ["".join(c if c.isascii() and c.isalnum() else "_" for c in name) for name in metrics]
    names = [name if name[:1].isalpha() and plain.count(name) == 1 else f"o{i}_{name}" for i, name in enumerate(plain)]
    return tuple(Objective(name, maximise=most) for name, most in zip(names, maximised))
