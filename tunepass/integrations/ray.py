"""tunepass as a search algorithm of Ray Tune.

    from tunepass.integrations.ray import TunepassSearch
    config = tune.TuneConfig(search_alg=TunepassSearch(seed=0), metric="loss", mode="min", num_samples=40)
    tune.Tuner(trainable, tune_config=config, param_space=param_space).fit()

Source: `ray.tune.search.searcher.Searcher` and `ray.tune.search.sample` of Ray 2.60.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunepass.diagnostics import SpaceError, StudyError
from tunepass.files import read_utf8, write_text
from tunepass.integrations.keyed_trials import KeyedTrials, objectives_named, outcome_of
from tunepass.integrations.packages import package
from tunepass.integrations.parameters import ForeignParameter, identifier, parameter_of_choices
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    from ray.tune.search.searcher import Searcher
else:
    door = {"extra": "ray", "door": "tunepass.integrations.ray"}
    Searcher = package("ray.tune.search.searcher", **door).Searcher

STATE_LIMIT = 1 << 28  # bytes of a saved state
KeyPath = tuple[str, ...]  # in nested dictionaries


class TunepassSearch(Searcher):  # type: ignore[misc]
    """Suggests configs of Ray Tune as a `tp.Study` does. Errors, and values that are not finite, are failures.

    Args:
        space: a space of tunepass, with its constraints and orders, or a dictionary as `param_space`; None: the
            `param_space` of the tuner. Of that `uniform`, `loguniform`, `randint`, `lograndint`, `choice` and their
            quantised kinds are searched.
        metric: the name of a result, or a list of them; None: the tuner's.
        mode: "min" or "max", or a list of them; None: the tuner's.
        points_to_evaluate: configs that are suggested first; a value that one lacks is the parameter's default.
        evaluated_rewards: the metric of each of these, if it is known: they are not suggested then.
        seed: of every random choice; None: another one each time.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many trials are planned (`num_samples`), if that is known.

    Raises:
        StudyError: an argument breaks its rule, or a domain has no parameter.

    Example:
        >>> search = TunepassSearch(tp.Space([tp.Integer("tile", 1, 8)]), metric="time", mode="min", seed=0)
        >>> search.suggest("first")
        {'tile': 1}
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any] | None = None,
        metric: str | Sequence[str] | None = None,
        mode: str | Sequence[str] | None = None,
        *,
        points_to_evaluate: Sequence[Mapping[str, Any]] | None = None,
        evaluated_rewards: Sequence[float] | None = None,
        seed: int | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
    ):
        super().__init__(metric=metric, mode=mode)
        if space is not None and not isinstance(space, (Space, Mapping)):
            raise StudyError(f"space is a Space of tunepass or a dictionary of Ray's domains, got {space!r}")
        self._metric, self._mode = metric, mode
        self._seed = secrets.randbits(32) if seed is None else validation.valid_seed(seed)
        self._strategy, self._max_evals = strategy, max_evals
        self._trials: KeyedTrials | None = None
        self._fixed: dict[KeyPath, object] = {}
        self._given = space if isinstance(space, Space) else None
        self._domains: dict[KeyPath, ForeignParameter] = {}
        if self._given is not None:
            self._domains = {(parameter.name,): ForeignParameter(parameter) for parameter in self._given.parameters}
        elif space:
            self._domains, self._fixed = read_config(space)  # type: ignore[arg-type]
            if not self._domains:
                raise StudyError(f"space has no domain of Ray Tune, such as tune.uniform, got {space!r}")
        self._points, self._rewards = _checked_points(points_to_evaluate, evaluated_rewards)
        self._first: list[Configuration] = []
        self._begin()

    @property
    def study(self) -> Study:
        """The study that suggests.

        Raises:
            StudyError: the space, the metric or the mode is not known yet.
        """
        return self._ready().study

    def set_search_properties(
        self,
        metric: str | list[str] | None = None,
        mode: str | list[str] | None = None,
        config: dict[str, Any] | None = None,
        **spec: object,
    ) -> bool:
        """Take what the tuner says; False where the space was given before, and the tuner has one too."""
        if config and self._domains:
            return False
        self._metric, self._mode = metric or self._metric, mode or self._mode
        if config:
            self._domains, self._fixed = read_config(config)
        self._begin()
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The config of a trial; `Searcher.FINISHED` where none is left, None where others have to end first."""
        trials = self._ready()
        if self._first and trial_id not in trials.under_evaluation:
            trials.under_evaluation[trial_id] = self._first.pop(0)
        configuration = trials.suggest(trial_id)
        if configuration is None:
            finished: str = self.FINISHED
            return None if trials.under_evaluation else finished
        nested: dict[str, Any] = {}
        for path, value in [*self._fixed.items(), *self._foreign(configuration)]:
            inner = nested
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = value
        return nested

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Take in how a trial ended. A second end is passed over: Ray may tell of one twice."""
        trials = self._ready()
        if trial_id in trials.under_evaluation:
            failed = Failed("run", "the trial raised an error" if error else "the trial has no result")
            trials.complete(trial_id, failed if error or not result else self._outcome(result))

    def on_pause(self, trial_id: str) -> None:
        """Nothing: a paused trial stays under evaluation. Ray's HyperBandForBOHB says when it pauses one."""

    def on_unpause(self, trial_id: str) -> None:
        """Nothing, as with `on_pause`."""

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        """Take in a result from elsewhere; a pruned trial teaches nothing.

        Raises:
            StudyError: the parameters are not of the space.
        """
        trials = self._ready()
        configuration = self._native(parameters)
        if not pruned:
            outcome = self._outcome({self._metrics[0]: value})
            trials.observe(configuration, Failed("run", "the trial raised an error") if error else outcome)

    def _native(self, parameters: Mapping[str, Any], defaults: Mapping[str, Value] | None = None) -> Configuration:
        """The configuration of a config; what it lacks is by `defaults`, if they are given."""
        native = {}
        for path, domain in self._domains.items():
            inner: object = parameters
            for key in path:
                inner = inner.get(key) if isinstance(inner, Mapping) else None
            name = domain.parameter.name
            if inner is None and defaults is not None and name in defaults:
                native[name] = defaults[name]
            elif inner is not None or domain.parameter.when is None:
                native[name] = domain.native(inner)
        return validation.valid_configuration(self.study.space, native)

    def save(self, checkpoint_path: str) -> None:
        """Write the state as JSON: trials, and those under evaluation."""
        self._ready()
        write_text(Path(checkpoint_path), json.dumps(self._state()))

    def restore(self, checkpoint_path: str) -> None:
        """Go on from the trials that `save` wrote, for the same space; random numbers are drawn anew.

        Raises:
            StudyError: the file is no such state, or of another space.
        """
        text = read_utf8(checkpoint_path, STATE_LIMIT, StudyError)
        try:
            self._go_on(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StudyError(f"{checkpoint_path} is no state of TunepassSearch: {error}") from None

    def __getstate__(self) -> dict[str, Any]:
        """For Ray, which copies its search algorithms: everything but the study, and the study's trials."""
        state = {name: value for name, value in vars(self).items() if name != "_trials"}
        return {**state, "_saved": None if self._trials is None else self._state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_saved")
        self.__dict__.update(state, _trials=None)
        self._begin()
        if saved is not None:
            self._go_on(saved)

    def _state(self) -> dict[str, Any]:
        trials = self._ready()
        rows = [[dict(t.configuration), _plain_outcome(t.outcome)] for t in trials.study.trials]
        under = {str(key): dict(configuration) for key, configuration in trials.under_evaluation.items()}
        first = [dict(configuration) for configuration in self._first]
        return {"seed": self._seed, "trials": rows, "under_evaluation": under, "first": first}

    def _go_on(self, state: Mapping[str, Any]) -> None:
        space, self._seed = self.study.space, validation.valid_seed(state["seed"])
        rows = [(_configuration(space, values), _read_outcome(outcome)) for values, outcome in state["trials"]]
        under = {key: _configuration(space, values) for key, values in state["under_evaluation"].items()}
        first = [_configuration(space, values) for values in state.get("first", ())]
        self._trials, self._points = None, []
        self._begin()
        trials, self._first = self._ready(), first
        for configuration, outcome in rows:
            trials.observe(configuration, outcome)
        trials.under_evaluation.update(under)

    @property
    def _metrics(self) -> list[str]:
        return [self._metric] if isinstance(self._metric, str) else list(self._metric or ())

    def _begin(self) -> None:
        """Begin the study once space, metrics and modes are known, if none has begun."""
        modes = [self._mode] if isinstance(self._mode, str) else list(self._mode or ())
        if not self._domains or not self._metrics or self._trials is not None:
            return
        if len(modes) != len(self._metrics) or not set(modes) <= {"min", "max"}:
            raise StudyError(f"a mode, min or max, for each of the metrics {self._metrics}, got {modes}")
        space = self._given or Space([domain.parameter for domain in self._domains.values()])
        objectives = objectives_named(self._metrics, [mode == "max" for mode in modes])
        options = {"seed": self._seed, "strategy": self._strategy, "max_evals": self._max_evals, "repeats": False}
        self._trials = KeyedTrials(Study(space, objectives, **options))  # type: ignore[arg-type]
        first = [self._native(point, space.default) for point in self._points]
        self._first = first[len(self._rewards) :]
        for configuration, reward in zip(first, self._rewards):
            self._trials.observe(configuration, self._outcome({self._metrics[0]: reward}))

    def _ready(self) -> KeyedTrials:
        if self._trials is None:
            missing = "a param_space, or space=" if not self._domains else "a metric and a mode"
            given = "give them to TunepassSearch: Ray passes those of tune.TuneConfig on with a param_space only"
            hint = given if self._given else "say it to TunepassSearch, or to tune.TuneConfig"
            raise StudyError(f"the search needs {missing}", hint=hint)
        return self._trials

    def _foreign(self, configuration: Configuration) -> list[tuple[KeyPath, object]]:
        active = [(path, d) for path, d in self._domains.items() if d.parameter.name in configuration]
        return [(path, _plain(d, configuration[d.parameter.name])) for path, d in active]

    def _outcome(self, result: Mapping[str, object]) -> Outcome:
        return outcome_of(result, self.study.objectives, self._metrics)


def _checked_points(points: object, rewards: object) -> tuple[list[Mapping[str, Any]], list[float]]:
    listed: list[Any] = [] if points is None else list(points) if isinstance(points, Sequence) else [points]
    if not all(isinstance(point, Mapping) for point in listed):
        raise StudyError(f"points_to_evaluate is a list of configs, got {points!r}")
    known: list[Any] = [] if rewards is None else list(rewards) if isinstance(rewards, Sequence) else [rewards]
    if rewards is not None and len(known) != len(listed):
        raise StudyError(f"evaluated_rewards has a value for each point, got {len(known)} for {len(listed)}")
    return listed, known


def read_config(config: Mapping[str, Any]) -> tuple[dict[KeyPath, ForeignParameter], dict[KeyPath, object]]:
    """The parameters of a `param_space`, and what is the same in every trial.

    Raises:
        StudyError: a domain has no parameter: a grid, a function, a normal distribution.
    """
    variants = package("ray.tune.search.variant_generator", extra="ray", door="tunepass.integrations.ray")
    fixed, domains, grids = variants.parse_spec_vars(config)
    if grids:
        raise StudyError(f"{'/'.join(grids[0][0])}: a grid is not searched", hint="write tune.choice in its place")
    read: dict[KeyPath, ForeignParameter] = {}
    for path, domain in domains:
        path = tuple(map(str, path))
        name = identifier("_".join(path), {known.parameter.name for known in read.values()})
        try:
            read[path] = _parameter(name, domain)
        except SpaceError as error:
            raise StudyError(f"{'/'.join(path)} is {domain!r}: {error.sentence}") from None
    return read, {tuple(map(str, path)): value for path, value in fixed}


def _parameter(name: str, domain: Any) -> ForeignParameter:
    sample = package("ray.tune.search.sample", extra="ray", door="tunepass.integrations.ray")
    if isinstance(domain, sample.Categorical):
        return parameter_of_choices(name, domain.categories)
    if not isinstance(domain, (sample.Float, sample.Integer)):
        raise SpaceError("it is no range and no choice", hint="functions are for Ray's own random search")
    sampler, step = domain.get_sampler(), None
    if isinstance(sampler, sample.Quantized):
        sampler, step = sampler.sampler, sampler.q
    log = isinstance(sampler, sample.LogUniform)
    if not log and not isinstance(sampler, sample.Uniform):
        raise SpaceError("a normal distribution has no ends", hint="write tune.uniform with ends")
    if isinstance(domain, sample.Float):
        if step is not None and log:
            steps = range(-(-domain.lower // step).__int__(), int(domain.upper // step) + 1)
            return ForeignParameter(Ordinal(name, [k * step for k in steps], log=True))
        return ForeignParameter(Real(name, domain.lower, domain.upper, log=log, step=step))
    highest = domain.upper if step not in (None, 1) else domain.upper - 1  # quantised ranges have their upper end
    if step in (None, 1):
        return ForeignParameter(Integer(name, domain.lower, highest, log=log))
    return ForeignParameter(Ordinal(name, [*range(-(-domain.lower // step) * step, highest + 1, step)], log=log))


def _plain(domain: ForeignParameter, value: Value) -> object:
    """A value as a config has it: a permutation is a list."""
    return list(value) if isinstance(domain.parameter, Permutation) else domain.foreign(value)  # type: ignore[arg-type]


def _configuration(space: Space, values: Mapping[str, Any]) -> Configuration:
    """Raises StudyError where the values are not of the space."""
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return validation.valid_configuration(space, plain)


def _plain_outcome(outcome: Outcome) -> dict[str, object]:
    if isinstance(outcome, Measured):
        return {"values": dict(outcome.values)}
    return (
        {"failed": outcome.stage, "log": outcome.log} if isinstance(outcome, Failed) else {"failed": "run", "log": ""}
    )


def _read_outcome(state: Mapping[str, Any]) -> Outcome:
    return Measured(state["values"]) if "values" in state else Failed(state["failed"], state["log"])
