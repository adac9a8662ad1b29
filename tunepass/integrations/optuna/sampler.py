"""tunepass as a sampler of Optuna."""

from __future__ import annotations

import secrets
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial, TrialState

from tunepass.diagnostics import StudyError
from tunepass.integrations.optuna.distributions import contains, nearest, random_value
from tunepass.integrations.optuna.followed_study import FollowedStudy, recent
from tunepass.integrations.optuna.given_space import GivenSpace
from tunepass.integrations.optuna.native_search import SearchSettings
from tunepass.integrations.optuna.outcomes import CONSTRAINTS
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Real
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.study import Study
from tunepass.study.task import Factory, PriorMeanLike


class TunepassSampler(optuna.samplers.BaseSampler):  # type: ignore[misc]
    """Samples the trials of an Optuna study as a tunepass.Study would.

    Without a `space`, the search space is what finished trials have in common; a parameter that some of them lack is
    active under a condition on another one where the trials show one, and else it is drawn at random. Failed trials,
    pruned ones, those that violate a constraint, and those that other workers run are taken into account.

    Args:
        space: constraints, orders and conditions that Optuna cannot say. Trials suggest the parameters of the space
            and no others; see `suggest`. None: the space is inferred.
        seed: of every random choice; None: another one each time.
        max_evals: how many trials are planned, if that is known; the search then may list a small space.
        strategy: of tunepass, by name, or a function of a Task.
        objectives: one for each direction of the study, with names, references and limits; None: `value`, of several
            directions `value_0`, `value_1`, ...
        prior_mean: what is known about the one objective beforehand.
        constraints_func: as samplers of Optuna before 5 take it: a trial's constraint values, met if all are at most 0.

    Raises:
        StudyError: an argument breaks its rule. When sampling: the objectives do not fit the study's directions, or the
            trial's suggestions do not fit the space.

    Example:
        >>> import optuna
        >>> study = optuna.create_study(sampler=TunepassSampler(seed=0))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=8)
        >>> study.best_value < 0.1
        True
    """

    def __init__(
        self,
        space: Space | None = None,
        seed: int | None = None,
        *,
        max_evals: int | None = None,
        strategy: str | Factory = "auto",
        objectives: Sequence[Objective] | None = None,
        prior_mean: PriorMeanLike | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ):
        validation.check_strategy(strategy)
        validation.check_prior_mean(prior_mean)
        self._given = None if space is None else GivenSpace(validation.valid_space(space))
        self._settings = SearchSettings(
            secrets.randbits(32) if seed is None else validation.valid_seed(seed),
            validation.valid_budget(max_evals),
            strategy,
            prior_mean,
        )
        self._objectives = None if objectives is None else validation.valid_objectives(objectives)
        if constraints_func is not None and not callable(constraints_func):
            raise StudyError(f"constraints_func is a function of a trial, got {constraints_func!r}")
        self._constraints_func = constraints_func
        self._lock, self._studies = threading.RLock(), OrderedDict[object, FollowedStudy]()

    def __getstate__(self) -> dict[str, object]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_lock", "_studies")}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__dict__.update(state)
        self._lock, self._studies = threading.RLock(), OrderedDict()

    def native_study(self, study: OptunaStudy) -> Study | None:
        """The tunepass.Study that follows an Optuna study, up to date; None while there is no space.

        Its `importance`, `recommended`, `pareto` and `trust` say more than the Optuna study does. It takes no
        observations of its own.
        """
        with self._lock:
            followed = self._followed(study, -1)
            if self._given is not None:
                return followed.given_search(self._given, {}).study
            space = self._search_space(followed)
            return followed.inferred_search(space)[1].study if space else None

    # -- the role of a sampler

    def infer_relative_search_space(self, study: OptunaStudy, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """See optuna.samplers.BaseSampler. With a given space all values are sampled when the trial asks for them."""
        if self._given is not None:
            return {}
        with self._lock:
            return self._search_space(self._followed(study, trial.number))

    def _search_space(self, followed: FollowedStudy) -> dict[str, BaseDistribution]:
        return {p.name: p.distribution for p in followed.parameters() if not p.distribution.single()}

    def sample_relative(
        self, study: OptunaStudy, trial: FrozenTrial, search_space: Mapping[str, BaseDistribution]
    ) -> dict[str, Foreign]:
        """See optuna.samplers.BaseSampler."""
        if self._given is not None:
            return {}
        if not search_space:
            return {}
        with self._lock:
            followed = self._studies.get(_key(study))
            if followed is None or followed.current != trial.number:
                followed = self._followed(study, trial.number)
            free = {name: d for name, d in search_space.items() if name not in followed.fixed and not d.single()}
            if not free:
                return {}
            try:
                inferred, search = followed.inferred_search(free)
            except StudyError:  # of none that tunepass has a parameter for
                return {}
            search.await_trials(followed.running)
            if followed.first_is_blank:
                search.await_default()
            params = inferred.params(search.suggest(trial.number, followed.finished))
            followed.planned_params[trial.number] = params
            return params

    def sample_independent(
        self, study: OptunaStudy, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Foreign:
        """See optuna.samplers.BaseSampler."""
        with self._lock:
            if self._given is not None:
                return self._suggested(self._given, study, trial, param_name, param_distribution)
            followed = self._studies.get(_key(study)) or self._followed(study, trial.number)
            planned = followed.planned_params.get(trial.number, {})
        if param_name in planned and contains(param_distribution, planned[param_name]):
            return planned[param_name]
        near = nearest(param_distribution, planned.get(param_name))  # the range is another one in this trial
        if near is not None:
            return near
        if trial.number == 0:
            return first_value(param_distribution)
        rng = np.random.default_rng([self._settings.seed, trial.number, zlib.crc32(param_name.encode())])
        return random_value(param_distribution, rng)

    def after_trial(
        self, study: OptunaStudy, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """See optuna.samplers.BaseSampler: stores the constraint values of `constraints_func`."""
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        constraints = [float(value) for value in self._constraints_func(trial)]
        if any(value != value for value in constraints):
            raise StudyError(f"constraint values are numbers, got {constraints}")
        study._storage.set_trial_system_attr(trial._trial_id, CONSTRAINTS, constraints)

    # -- within

    def _followed(self, study: OptunaStudy, current: int) -> FollowedStudy:
        def make() -> FollowedStudy:
            return FollowedStudy(study, self._settings, self._objectives)

        followed = recent(self._studies, _key(study), make)
        followed.follow(study, current)
        return followed

    def _suggested(
        self, given: GivenSpace, study: OptunaStudy, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> Foreign:
        """The value of `name` in the configuration that is planned for the trial."""
        followed = self._studies.get(_key(study))
        plan = None if followed is None else followed.plans.get(trial.number)
        so_far = {known: value for known, value in trial.params.items() if given.owns(known)}
        if followed is None or plan is None or not given.agrees(Configuration(plan), so_far):
            followed = self._followed(study, trial.number)
            fixed = {known: v for known, v in followed.fixed.items() if given.owns(known) and known != name} | so_far
            search = followed.given_search(given, fixed)
            search.await_trials(followed.running)
            if followed.first_is_blank:
                search.await_default()
            plan = followed.plans[trial.number] = search.suggest(trial.number, followed.finished)
        return given.suggested(Configuration(plan), name, distribution)


def _key(study: OptunaStudy) -> object:
    return id(study._storage), study._study_id


def first_value(distribution: BaseDistribution) -> Foreign:
    """The value of the default configuration, which a study of tunepass tries first."""
    if hasattr(distribution, "choices"):
        return distribution.choices[0]
    if not hasattr(distribution, "low") or isinstance(distribution.low, int):
        return distribution.low
    return nearest(distribution, Real("x", distribution.low, distribution.high, log=distribution.log).default)
