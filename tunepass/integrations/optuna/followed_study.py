"""State of a sampler for one Optuna study: finished and running trials, and the searches that follow it."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from optuna.distributions import BaseDistribution
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial, TrialState

from tunepass.integrations.optuna.evidence import Condition, Evidence, InferredParameter
from tunepass.integrations.optuna.given_space import GivenSpace
from tunepass.integrations.optuna.inferred_space import InferredSpace
from tunepass.integrations.optuna.native_search import FinishedTrial, NativeSearch, Params, SearchSettings
from tunepass.integrations.optuna.outcomes import OutcomeReader, objectives_of
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.study.objective import Objective

FIXED = "fixed_params"  # system attribute of an enqueued trial
MOST_SEARCHES = 4  # of one study: for the whole space, and for parts in which some values are fixed
Entry = TypeVar("Entry")


class FollowedStudy:
    """Trials of an Optuna study as tunepass sees them. `follow` brings it up to date."""

    def __init__(self, study: OptunaStudy, settings: SearchSettings, stated: Sequence[Objective] | None):
        self.storage = study._storage  # kept, so that no other storage gets its id
        self.objectives = objectives_of(study, stated)
        self.settings = settings
        self.evidence = Evidence()
        self.finished: list[FinishedTrial] = []
        self.plans: dict[int, Mapping[str, Value]] = {}  # configurations of a given space, by the trial's number
        self.planned_params: dict[int, Params] = {}  # values of an inferred space, by the trial's number
        self.running: list[tuple[int, Params]] = []
        self.first_is_blank = False  # does trial 0 run, without a value yet?
        self._failed: list[FrozenTrial] = []  # not in the evidence, which has none yet
        self.current = -1  # the number of the trial for which `follow` was called last
        self.fixed: Params = {}  # its enqueued values
        self._seen: set[int] = set()
        self._start = 0  # place in the study's trials up to which all are finished and seen
        self._outcomes = OutcomeReader(self.objectives)
        self._inferred: OrderedDict[Hashable, tuple[InferredSpace, NativeSearch]] = OrderedDict()
        self._given: OrderedDict[Hashable, NativeSearch] = OrderedDict()

    def follow(self, study: OptunaStudy, current: int) -> None:
        """Take in what happened to the study's trials; `current` is the number of the trial that is sampled."""
        self.current, self.fixed = current, {}
        trials = study.get_trials(deepcopy=False)
        start = self._start if 0 < self._start <= len(trials) and trials[self._start - 1].number < self._start else 0
        self.running, contiguous, self.first_is_blank = [], True, False
        for trial in trials[start:]:
            finished = trial.state.is_finished()
            if finished and trial.number not in self._seen:
                self._take_in(trial)
            elif trial.number == current:
                self.fixed = trial.system_attrs.get(FIXED, {})
            elif trial.state == TrialState.RUNNING:
                self._note_running(trial)
            contiguous = contiguous and finished and trial.number == start
            start += contiguous
        self._start = start

    def _take_in(self, trial: FrozenTrial) -> None:
        self._seen.add(trial.number)
        self.finished.append(FinishedTrial(trial.number, trial.params, self._outcomes.read(trial)))
        self.planned_params.pop(trial.number, None)
        if trial.state != TrialState.FAIL:
            self.evidence.add(trial)
        elif not len(self.evidence):
            self._failed.append(trial)

    def _note_running(self, trial: FrozenTrial) -> None:
        params = {**self.planned_params.get(trial.number, {}), **trial.params}
        if params or trial.number in self.plans:
            self.running.append((trial.number, params))
        self.first_is_blank |= trial.number == 0 and not params

    def parameters(self) -> tuple[InferredParameter, ...]:
        """The parameters of the space that finished trials have in common; of failed ones while all have failed."""
        if len(self.evidence) or not self._failed:
            return self.evidence.parameters
        evidence = Evidence()
        for trial in self._failed:
            evidence.add(trial)
        return evidence.parameters

    def inferred_search(self, search_space: Mapping[str, BaseDistribution]) -> tuple[InferredSpace, NativeSearch]:
        """The search of a relative search space, with the conditions that are known of its parameters."""
        conditions = {p.name: p.condition for p in self.parameters()}

        def known(name: str) -> Condition | None:
            condition = conditions.get(name)
            return condition if condition is not None and condition.parent in search_space else None

        parameters = tuple(InferredParameter(name, d, known(name)) for name, d in search_space.items())

        def make() -> tuple[InferredSpace, NativeSearch]:
            inferred = InferredSpace(parameters)
            return inferred, self._search(
                inferred.space, lambda params, number: inferred.configuration(params), ranges_change=True
            )

        inferred, search = recent(self._inferred, parameters, make)
        search.follow(self.finished)
        return inferred, search

    def given_search(self, given: GivenSpace, fixed: Params) -> NativeSearch:
        """The search of a given space, or of the part that has some values.

        Raises:
            StudyError: no configuration of the space has them.
        """

        def make() -> NativeSearch:
            def configuration(params: Params, number: int) -> Configuration | None:
                return given.configuration({**params, **fixed}, self.plans.get(number))

            return self._search(given.restricted(fixed) if fixed else given.space, configuration, ranges_change=False)

        search = recent(self._given, tuple(sorted(fixed.items())), make)
        foreign = search.follow(self.finished)
        if foreign and not fixed:
            stated = ", ".join(f"{name}={value!r}" for name, value in foreign[0].params.items())
            warnings.warn(
                f"{len(foreign)} trials of the study are not in the space and teach the sampler nothing, such as trial "
                f"{foreign[0].number}: {stated or 'without values'}",
                stacklevel=2,
            )
        return search

    def _search(
        self, space: Space, configuration: Callable[[Params, int], Configuration | None], *, ranges_change: bool
    ) -> NativeSearch:
        return NativeSearch(space, configuration, self.objectives, self.settings, ranges_change=ranges_change)


def recent(cache: OrderedDict[Hashable, Entry], key: Hashable, make: Callable[[], Entry]) -> Entry:
    """Entry of the cache under the key, created if it is absent; the cache keeps the MOST_SEARCHES latest."""
    known = cache.pop(key) if key in cache else make()
    cache[key] = known
    while len(cache) > MOST_SEARCHES:
        cache.popitem(last=False)
    return known
