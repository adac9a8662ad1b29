"""The older client of Ax, `ax.service.ax_client.AxClient`, whose parameters are dictionaries, over the newer one."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tunepass.diagnostics import StudyError
from tunepass.integrations.ax.client import Client, Point
from tunepass.integrations.ax.configs import (
    MOST_STEPS,
    ChoiceParameterConfig,
    Config,
    DerivedParameterConfig,
    RangeParameterConfig,
)
from tunepass.integrations.parameters import Foreign, identifier
from tunepass.space.plain_values import as_real, as_scalar, as_whole
from tunepass.study.study import Study

if TYPE_CHECKING:
    import pandas

Parameters = dict[str, Foreign]
Values = tuple[dict[str, float], dict[str, dict[str, float]]]  # means and variances, by metric
PERCENT = re.compile(r"(.*(?:<=|>=))\s*([-+]?\d*\.?\d+)\s*%\s*")
HINT = 'such as {"name": "x", "type": "range", "bounds": [0.0, 1.0]}; the types are range, choice, fixed and derived'
UNSEARCHED = ("is_fidelity", "is_task", "target_value")


@dataclass(frozen=True, slots=True)
class ObjectiveProperties:
    """Direction of an objective, as ax.service.utils.instantiation.ObjectiveProperties.

    Args:
        minimize: whether less is better.
        threshold: of several objectives, the corner that hypervolumes are measured to.

    Example:
        >>> ObjectiveProperties(minimize=True).threshold is None
        True
    """

    minimize: bool
    threshold: float | None = None


class AxClient:
    """Suggests trials of an experiment as a `tp.Study` does, with the methods of Ax's service API.

    Args:
        generation_strategy: without effect; a warning says so.
        db_settings: None; a client is saved by `save_to_json_file`.
        enforce_sequential_optimization: without effect: any number of trials may be under evaluation.
        random_seed: of every random choice; None: another one each time.
        **options: Ax's other arguments, without effect.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> client = AxClient(random_seed=0)
        >>> range_of_x = {"name": "x", "type": "range", "bounds": [0.0, 4.0]}
        >>> client.create_experiment([range_of_x], objectives={"loss": ObjectiveProperties(minimize=True)})
        >>> for _ in range(8):
        ...     parameters, index = client.get_next_trial()
        ...     client.complete_trial(index, raw_data=(parameters["x"] - 1) ** 2)
        >>> len(client.study.trials)
        8
    """

    def __init__(
        self,
        generation_strategy: object = None,
        db_settings: object = None,
        enforce_sequential_optimization: bool = True,
        random_seed: int | None = None,
        **options: object,
    ):
        if generation_strategy is not None:
            warnings.warn("tunepass does not use Ax's generation strategies; its own one suggests", stacklevel=2)
        self._client = Client(random_seed=random_seed, storage_config=db_settings)
        self._goals: tuple[str, ...] = ()
        self._plain: dict[str, str] = {}  # metrics' names that are no identifiers, to ones that are

    @property
    def study(self) -> Study:
        """The study that suggests.

        Raises:
            StudyError: there is no experiment yet.
        """
        return self._client.study

    @property
    def objective_names(self) -> list[str]:
        """Names of the objectives."""
        return list(self._goals)

    @property
    def objective_name(self) -> str:
        """Name of the only objective.

        Raises:
            StudyError: there are several, or none yet.
        """
        if len(self._goals) != 1:
            raise StudyError(f"there are {len(self._goals)} objectives", hint="objective_names has them")
        return self._goals[0]

    def create_experiment(
        self,
        parameters: Sequence[Mapping[str, object]],
        name: str | None = None,
        description: str | None = None,
        owners: object = None,
        objectives: Mapping[str, Any] | None = None,
        parameter_constraints: Sequence[str] | None = None,
        outcome_constraints: Sequence[str] | None = None,
        status_quo: Mapping[str, Foreign] | None = None,
        overwrite_existing_experiment: bool = False,
        *,
        objective_name: str | None = None,
        minimize: bool = False,
        **options: object,
    ) -> None:
        """State parameters, objectives and constraints.

        Args:
            parameters: a dictionary each, as Ax has them.
            name, description, owners, options: without effect.
            objectives: by their metrics, with `minimize` and `threshold`; without any, "objective" is maximised.
            parameter_constraints: such as "x1 + x2 <= 2"; they need not be linear.
            outcome_constraints: such as "qps >= 100", or "qps >= -5%" of the status quo's value.
            status_quo: parameters of the trial that relative constraints are about; it is attached as trial 0.
            overwrite_existing_experiment: begin another experiment with this client.
            objective_name, minimize: the only objective, as earlier versions of Ax state it.

        Raises:
            StudyError: there is an experiment already, or something cannot be searched.
        """
        if objectives is not None and objective_name is not None:
            raise StudyError("objectives and objective_name exclude each other")
        if objectives is None:
            objectives = {objective_name or "objective": ObjectiveProperties(minimize)}
        if not isinstance(objectives, Mapping) or not objectives:
            raise StudyError(
                f"objectives are a mapping, got {objectives!r}", hint='{"loss": ObjectiveProperties(minimize=True)}'
            )
        client = Client(random_seed=self._client._seed) if overwrite_existing_experiment else self._client
        client.configure_experiment([_config(each) for each in parameters], parameter_constraints)
        tokens = [text.split() if isinstance(text, str) else [] for text in outcome_constraints or ()]
        plain = _plain_names([*map(str, objectives), *(words[0] for words in tokens if len(words) == 3)])
        texts, thresholds = [], []
        for metric, properties in objectives.items():
            word = plain.get(str(metric), str(metric))
            texts.append(f"-{word}" if properties.minimize else word)
            if getattr(properties, "threshold", None) is not None and len(objectives) > 1:
                thresholds.append(f"{word} {'<=' if properties.minimize else '>='} {properties.threshold!r}")
        bounds = [_outcome_constraint(text, plain) for text in outcome_constraints or ()]
        client.configure_optimization(", ".join(texts), [*bounds, *thresholds])
        self._client, self._goals, self._plain = client, tuple(map(str, objectives)), plain
        client._metric_names = plain
        if status_quo is not None:
            client.attach_baseline(status_quo)

    # -- trials

    def get_next_trial(
        self, ttl_seconds: int | None = None, force: bool = False, fixed_features: object = None
    ) -> tuple[Parameters, int]:
        """Parameters and index of the next trial, which knows of those under evaluation. `ttl_seconds` has no effect.

        Raises:
            StudyError: nothing is left of the search space, or parameters are to be fixed.
        """
        trials, _ = self.get_next_trials(1, fixed_features=fixed_features)
        if not trials:
            raise StudyError("nothing is left of the search space")
        ((index, parameters),) = trials.items()
        return parameters, index

    def get_next_trials(
        self, max_trials: int, ttl_seconds: int | None = None, fixed_features: object = None
    ) -> tuple[dict[int, Parameters], bool]:
        """The next trials by index, and whether nothing is left of the search space.

        Raises:
            StudyError: there is no experiment yet, or parameters are to be fixed.
        """
        fixed = getattr(fixed_features, "parameters", None) if fixed_features is not None else None
        if fixed_features is not None and not isinstance(fixed, Mapping):
            raise StudyError("fixed parameters are not searched around", hint="give them the type fixed")
        trials = self._client.get_next_trials(max_trials, fixed)
        return trials, len(trials) < max_trials and self.study.finished

    def attach_trial(
        self,
        parameters: Mapping[str, Foreign],
        ttl_seconds: int | None = None,
        arm_name: str | None = None,
        **options: object,
    ) -> tuple[Parameters, int]:
        """Begin a trial with parameters of one's own: they and its index.

        Raises:
            StudyError: the parameters are not of the search space.
        """
        index = self._client.attach_trial(parameters, arm_name)
        return self.get_trial_parameters(index), index

    def get_trial_parameters(self, trial_index: int) -> Parameters:
        """The parameters of a trial.

        Raises:
            StudyError: there is no such trial.
        """
        trials = self._client._configured().trials
        if trial_index not in trials:
            raise StudyError(f"there is no trial {trial_index!r}")
        return dict(trials[trial_index].parameters)

    def complete_trial(self, trial_index: int, raw_data: object, *unused: object, **options: object) -> None:
        """End a trial with its metrics.

        Args:
            trial_index: of the trial.
            raw_data: a number, or a number and its standard error, of the only objective; a mapping of metrics to
                these; or a list of steps with such mappings, of which the last one counts.
            unused, options: a sample size and other data, without effect.

        Raises:
            StudyError: there is no such trial under evaluation, or a metric is no number.
        """
        self._client.complete_trial(trial_index, self._metrics(raw_data))

    def update_running_trial_with_intermediate_data(
        self, trial_index: int, raw_data: object, *unused: object, **options: object
    ) -> None:
        """Keep metrics of a trial under evaluation; see `complete_trial`.

        Raises:
            StudyError: there is no such trial under evaluation, or a metric is no number.
        """
        self._client.attach_data(trial_index, self._metrics(raw_data))

    def log_trial_failure(self, trial_index: int, metadata: Mapping[str, object] | None = None) -> None:
        """End a trial as a failure, from which the search learns; `metadata` are its reason.

        Raises:
            StudyError: there is no such trial under evaluation.
        """
        reason = ", ".join(f"{name}: {value}" for name, value in (metadata or {}).items())
        self._client.mark_trial_failed(trial_index, reason)

    def abandon_trial(self, trial_index: int, reason: str | None = None) -> None:
        """End a trial from which nothing is learnt; it is not suggested again.

        Raises:
            StudyError: there is no such trial under evaluation.
        """
        self._client.mark_trial_abandoned(trial_index)

    def stop_trial_early(self, trial_index: int) -> None:
        """End a trial that was stopped since it is no better than the incumbent.

        Raises:
            StudyError: there is no such trial under evaluation, or it has no data.
        """
        self._client.mark_trial_early_stopped(trial_index)

    def should_stop_trials_early(self, trial_indices: Sequence[int]) -> dict[int, str]:
        """None of them: nothing here decides it."""
        return {}

    def get_max_concurrency(self) -> list[tuple[int, int]]:
        """[(-1, -1)]: any number of trials, all of them side by side."""
        return [(-1, -1)]

    def get_max_parallelism(self) -> list[tuple[int, int]]:
        """The same under its earlier name."""
        return self.get_max_concurrency()

    # -- results

    def get_best_trial(self, *unused: object, **options: object) -> tuple[int, Parameters, Values] | None:
        """Index, parameters and values of the best trial, as it was measured; None where none has a value yet.

        Raises:
            StudyError: there are several objectives.
        """
        if len(self._goals) == 1 and not self._client._configured().measured():
            return None
        point = self._client.get_best_parameterization()
        return point[2], point[0], self._values(point)

    def get_best_parameters(self, *unused: object, **options: object) -> tuple[Parameters, Values] | None:
        """Parameters and values of the best trial; see `get_best_trial`.

        Raises:
            StudyError: there are several objectives.
        """
        best = self.get_best_trial()
        return None if best is None else best[1:]

    def get_pareto_optimal_parameters(self, *unused: object, **options: object) -> dict[int, tuple[Parameters, Values]]:
        """Parameters and values of the trials that no other is better than in all objectives, by index.

        Raises:
            StudyError: there is one objective.
        """
        return {p[2]: (p[0], self._values(p)) for p in self._client.get_pareto_frontier()}

    def get_trials_data_frame(self) -> pandas.DataFrame:
        """A row a trial: index, arm, status, metrics, parameters.

        Raises:
            StudyError: pandas is not installed.
        """
        return self._client.summarize().rename(columns={plain: name for name, plain in self._plain.items()})

    # -- a client as a file

    def save_to_json_file(self, filepath: str = "ax_client_snapshot.json") -> None:
        """Write the experiment and its trials as JSON of tunepass's own."""
        self._client.save_to_json_file(filepath)

    @classmethod
    def load_from_json_file(cls, filepath: str = "ax_client_snapshot.json", **options: object) -> AxClient:
        """The client of a file that `save_to_json_file` wrote; it goes on with other random numbers.

        Raises:
            StudyError: the file is none of tunepass's, such as one of Ax.
        """
        client = cls()
        client._client = Client.load_from_json_file(str(Path(filepath)))
        client._plain = dict(client._client._metric_names)
        names = {plain: name for name, plain in client._plain.items()}
        experiment = client._client._configured()
        if experiment.has_goals:
            client._goals = tuple(
                names.get(goal.objective.name, goal.objective.name) for goal in experiment.goals.goals
            )
        return client

    def _metrics(self, raw_data: object) -> dict[str, object]:
        """Metrics by the names that the experiment has for them."""
        if (
            isinstance(raw_data, list)
            and raw_data
            and isinstance(raw_data[-1], tuple | list)
            and len(raw_data[-1]) == 2
        ):
            raw_data = raw_data[-1][1]
        if isinstance(raw_data, Mapping):
            return {self._plain.get(str(name), str(name)): value for name, value in raw_data.items()}
        if len(self._goals) != 1:
            raise StudyError(
                f"raw_data maps metrics to numbers where there are {len(self._goals)} objectives, got {raw_data!r}"
            )
        return {self._plain.get(self._goals[0], self._goals[0]): raw_data}

    def _values(self, point: Point) -> Values:
        names = {plain: name for name, plain in self._plain.items()}
        readings = {names.get(name, name): reading for name, reading in point[1].items()}
        variances = {name: 0.0 if math.isnan(error) else error**2 for name, (_, error) in readings.items()}
        covariances = {name: {other: variances[name] * (name == other) for other in readings} for name in readings}
        return {name: mean for name, (mean, _) in readings.items()}, covariances


def optimize(
    parameters: Sequence[Mapping[str, object]],
    evaluation_function: Callable[..., object],
    experiment_name: str | None = None,
    objective_name: str | None = None,
    minimize: bool = False,
    parameter_constraints: Sequence[str] | None = None,
    outcome_constraints: Sequence[str] | None = None,
    total_trials: int = 20,
    arms_per_trial: int = 1,
    random_seed: int | None = None,
    generation_strategy: object = None,
) -> tuple[Parameters, Values, Study, None]:
    """The loop of `ax.optimize`: parameters and values of the best trial, the study in place of an experiment, None.

    Args:
        parameters, parameter_constraints, outcome_constraints, objective_name, minimize: as for an `AxClient`.
        evaluation_function: of the parameters; returns what `AxClient.complete_trial` takes.
        experiment_name: without effect.
        total_trials: how many trials at most; fewer where nothing is left.
        arms_per_trial: 1.
        random_seed, generation_strategy: likewise.

    Raises:
        StudyError: an argument breaks its rule, or no trial has a value.

    Example:
        >>> range_of_x = {"name": "x", "type": "range", "bounds": [0, 9]}
        >>> optimize([range_of_x], lambda p: abs(p["x"] - 4), minimize=True, random_seed=0)[0]
        {'x': 4}
    """
    if arms_per_trial != 1:
        raise StudyError(f"arms_per_trial is 1, got {arms_per_trial!r}")
    client = AxClient(generation_strategy, random_seed=random_seed)
    client.create_experiment(
        parameters,
        parameter_constraints=parameter_constraints,
        outcome_constraints=outcome_constraints,
        objective_name=objective_name or "objective",
        minimize=minimize,
    )
    for _ in range(total_trials):
        trials, _ = client.get_next_trials(1)
        for index, given in trials.items():
            client.complete_trial(index, evaluation_function(given))
    best = client.get_best_parameters()
    if best is None:
        raise StudyError(f"none of {len(client.study.trials)} trials has a value of the objective")
    return *best, client.study, None


def _config(fields: Mapping[str, object]) -> Config:
    """The parameter of a dictionary. Raises StudyError for one that cannot be searched."""
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        raise StudyError(f"a parameter is a dictionary with its name, got {fields!r}", hint=HINT)
    name, kind = cast(str, fields["name"]), fields.get("type")
    for field in UNSEARCHED:
        if fields.get(field) not in (None, False):
            raise StudyError(f"parameter {name}: {field} is not searched by tunepass", hint="leave the parameter out")
    given = cast(Any, fields.get("value_type"))
    if kind == "derived":
        return DerivedParameterConfig(name, str(fields.get("expression_str")), given)
    if kind == "range":
        bounds = fields.get("bounds")
        if not isinstance(bounds, list | tuple) or len(bounds) != 2:
            raise StudyError(f"parameter {name}: bounds are two numbers, got {bounds!r}", hint=HINT)
        whole = all(as_whole(end) is not None and not isinstance(as_scalar(end), float) for end in bounds)
        log = "log" if fields.get("log_scale") else None
        step = _step(fields.get("digits"), bounds)
        return RangeParameterConfig(name, (bounds[0], bounds[1]), given or ("int" if whole else "float"), step, log)  # type: ignore[arg-type]
    values = fields.get("values") if kind == "choice" else [fields.get("value")] if kind == "fixed" else None
    if not isinstance(values, list | tuple) or not values:
        raise StudyError(f"parameter {name}: it has no values of the type {kind!r}", hint=HINT)
    of_first = cast(Any, type(as_scalar(values[0])).__name__)
    ordered, dependents = cast(Any, fields.get("is_ordered")), cast(Any, fields.get("dependents"))
    return ChoiceParameterConfig(name, list(values), given or of_first, ordered, dependents)


def _step(digits: object, bounds: Sequence[object]) -> float | None:
    """The distance of values with so many digits; None where there are too many of them, or all are searched."""
    ends = [as_real(end) for end in bounds]
    if digits is None or not isinstance(digits, int) or ends[0] is None or ends[1] is None:
        return None
    step = 10.0**-digits
    return step if 0 < (ends[1] - ends[0]) / step <= MOST_STEPS else None


def _plain_names(metrics: Sequence[str]) -> dict[str, str]:
    """Identifiers for the metrics whose names are none, such as "eval/loss"."""
    names: dict[str, str] = {}
    for metric in dict.fromkeys(metrics):
        if not metric.replace(".", "_").isidentifier():
            names[metric] = identifier(metric, {*names.values(), *metrics})
    return names


def _outcome_constraint(text: object, plain: Mapping[str, str]) -> str:
    """The constraint in the newer client's form: a bound in percent is a share of the baseline's value."""
    if not isinstance(text, str):
        raise StudyError(f'an outcome constraint is text such as "qps >= 100", got {text!r}')
    metric, *others = text.split(maxsplit=1)
    text = " ".join([plain.get(metric, metric), *others])
    match = PERCENT.fullmatch(text)
    return text if match is None else f"{match[1]} {1 + float(match[2]) / 100!r} * baseline"
