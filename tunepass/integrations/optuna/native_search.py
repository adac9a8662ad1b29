"""A study of tunepass that follows an Optuna study: it takes in each finished trial once, and suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tunepass.diagnostics import SamplingError, StudyError
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Infeasible, Outcome
from tunepass.study.study import Study
from tunepass.study.task import Factory, PriorMeanLike

Params = Mapping[str, Foreign]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How tunepass searches; see tunepass.Study."""

    seed: int
    max_evals: int | None
    strategy: str | Factory
    prior_mean: PriorMeanLike | None


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """A finished trial of Optuna: its values, and what came of it."""

    number: int
    params: Params
    outcome: Outcome


class NativeSearch:
    """Suggestions for one space.

    Args:
        space: the configurations to choose from.
        configuration: the configuration of a trial's values and number; None for values that are none of the space.
        objectives: of the study.
        settings: of the search.
        ranges_change: whether a trial that ran with other values than planned had ranges that lack those.
    """

    def __init__(
        self,
        space: Space,
        configuration: Callable[[Params, int], Configuration | None],
        objectives: tuple[Objective, ...],
        settings: SearchSettings,
        *,
        ranges_change: bool,
    ):
        self.space, self._objectives, self.settings = space, objectives, settings
        self._configuration, self._ranges_change = configuration, ranges_change
        self._observed_count = 0  # finished trials
        self._planned: dict[int, Configuration] = {}  # by the trial's number
        self._limit = settings.max_evals
        self.study = self._new_study()

    def _new_study(self) -> Study:
        study = Study(
            self.space,
            self._objectives,
            strategy=self.settings.strategy,
            seed=self.settings.seed,
            max_evals=self._limit,
            prior_mean=self.settings.prior_mean,
            repeats=False,
        )
        self._known: set[Configuration] = set()
        self._pending: set[Configuration] = set()
        record = study.store.study(study.name)
        assert record is not None
        self._record = record
        return study

    def follow(self, finished: list[FinishedTrial]) -> list[FinishedTrial]:
        """Take in the trials that finished since; those that are not of the space are returned."""
        foreign = []
        for trial in finished[self._observed_count :]:
            configuration = self._configuration(trial.params, trial.number)
            planned = self._planned.pop(trial.number, None)
            if planned is not None and planned != configuration and planned not in self._known:
                self._drop(planned, out_of_range=configuration is not None and self._ranges_change)
            if configuration is None or not self._observe(configuration, trial.outcome):
                foreign.append(trial)
        self._observed_count = len(finished)
        return foreign

    def _drop(self, planned: Configuration, *, out_of_range: bool) -> None:
        """A trial ran with other values than planned."""
        if out_of_range:
            self._observe(planned, Infeasible("range"))
            return
        self.study.release(planned)
        self._pending.discard(planned)

    def _observe(self, configuration: Configuration, outcome: Outcome) -> bool:
        try:
            self.study.observe(configuration, outcome, again=configuration in self._known)
        except StudyError:  # the space does not contain it
            return False
        self._known.add(configuration)
        self._pending.discard(configuration)
        return True

    def await_trials(self, running: Iterable[tuple[int, Params]]) -> None:
        """Note the configurations of trials that run elsewhere."""
        for number, params in running:
            configuration = None if number in self._planned else self._configuration(params, number)
            if configuration is not None and self._is_new(configuration) and self.space.contains(configuration):
                self._claim(configuration)

    def await_default(self) -> None:
        """Note that the default configuration is under evaluation, by a trial that has not suggested anything yet."""
        if self._is_new(self.space.default):
            self._claim(self.space.default)

    def _is_new(self, configuration: Configuration) -> bool:
        return configuration not in self._known and configuration not in self._pending

    def _claim(self, configuration: Configuration) -> None:
        self.study.store.claim(self._record, [configuration])
        self._pending.add(configuration)

    def suggest(self, number: int, finished: list[FinishedTrial]) -> Configuration:
        """The next configuration, for the trial of that number; one that was tried once all were."""
        suggested = self._suggestions()
        if not suggested and self._limit is not None and not self.study.exhausted:
            self._limit, self._observed_count = None, 0  # more trials than were announced
            self.study = self._new_study()
            self.follow(finished)
            for configuration in self._planned.values():
                self._claim(configuration)
            suggested = self._suggestions()
        if not suggested:
            return self.random(number)
        self._planned[number] = suggested[0]
        self._pending.add(suggested[0])
        return suggested[0]

    def _suggestions(self) -> list[Configuration]:
        try:
            return self.study.suggest()
        except SamplingError:
            return []

    def random(self, number: int) -> Configuration:
        """A configuration of the space, tried or not."""
        drawn = self.space.sample(1, np.random.default_rng([self.settings.seed, number]))
        return drawn[0] if drawn else self.space.default
