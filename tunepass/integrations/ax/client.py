"""The client: experiments and their trials, by the methods of `ax.api.client.Client`."""

from __future__ import annotations

import importlib
import secrets
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunepass.diagnostics import StudyError
from tunepass.integrations.ax import snapshot
from tunepass.integrations.ax.configs import Config, search_space
from tunepass.integrations.ax.experiment import Experiment
from tunepass.integrations.ax.goals import goals_of
from tunepass.integrations.ax.trials import ClientTrial, TrialStatus
from tunepass.integrations.parameters import Foreign
from tunepass.study import validation
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    import pandas

Point = tuple[dict[str, Foreign], dict[str, tuple[float, float]], int, str]
METHODS = ("quality", "fast", "random_search")


class Client:
    """Suggests trials of an experiment as a `tp.Study` does, with the methods of Ax's client.

    As in Ax a metric is maximised unless the objective has a minus before it. A failed trial, a metric that is missing
    or not finite, and a violated outcome constraint teach the search where trials fail.

    Args:
        random_seed: of every random choice; None: another one each time.
        storage_config: None; a client is saved by `save_to_json_file`.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many trials are planned, if that is known.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> client = Client(random_seed=0)
        >>> client.configure_experiment([RangeParameterConfig("x", (0.0, 4.0), "float")], ["x <= 3"])
        >>> client.configure_optimization("-loss")
        >>> for _ in range(8):
        ...     for index, parameters in client.get_next_trials(max_trials=1).items():
        ...         status = client.complete_trial(index, {"loss": (parameters["x"] - 1) ** 2})
        >>> status.name, len(client.study.trials)
        ('COMPLETED', 8)
    """

    def __init__(
        self,
        random_seed: int | None = None,
        storage_config: object = None,
        *,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
    ):
        if storage_config is not None:
            raise StudyError("a client has no database here", hint="save_to_json_file keeps it")
        self._seed = secrets.randbits(32) if random_seed is None else validation.valid_seed(random_seed)
        self._strategy, self._max_evals = strategy, max_evals
        self._configs: tuple[Config, ...] = ()
        self._constraints: tuple[str, ...] = ()
        self._experiment: Experiment | None = None
        self._metric_names: Mapping[str, str] = {}  # of the service API, to those of the objective

    @property
    def study(self) -> Study:
        """The study that suggests.

        Raises:
            StudyError: the experiment or the optimization is not configured yet.
        """
        return self._configured().keyed.study

    # -- configuration

    def configure_experiment(
        self,
        parameters: Sequence[Config],
        parameter_constraints: Sequence[str] | None = None,
        name: str | None = None,
        description: str | None = None,
        experiment_type: str | None = None,
        owner: str | None = None,
    ) -> None:
        """State the parameters, and constraints on them such as "x1 + x2 <= 2". The other arguments have no effect.

        Raises:
            StudyError: it was done before, or a parameter or a constraint cannot be searched.
        """
        if self._experiment is not None:
            raise StudyError("the experiment is configured already", hint="make another Client for another experiment")
        space = search_space(parameters, parameter_constraints)
        self._experiment = Experiment(space, self._seed, self._max_evals)
        self._configs, self._constraints = tuple(parameters), tuple(parameter_constraints or ())

    def configure_optimization(
        self,
        objective: str,
        outcome_constraints: Sequence[str] | None = None,
        pruning_target_parameterization: Mapping[str, Foreign] | None = None,
    ) -> None:
        """State what is optimised: "loss", "-loss", "ne1 + 2 * ne2", "-loss, qps", with constraints on metrics such as
        "qps >= 100" or "qps >= 0.95 * baseline". A pruning target has no effect.

        Raises:
            StudyError: the experiment is not configured, or a text says something else.
        """
        self._configured().begin(goals_of(objective, outcome_constraints), self._strategy)

    def configure_generation_strategy(self, method: str = "quality", **options: object) -> None:
        """Choose "quality", "fast" (both are tunepass's own strategy) or "random_search". Other options have no effect.

        Raises:
            StudyError: there is no such method.
        """
        if method not in METHODS:
            raise StudyError(f"method is one of {', '.join(METHODS)}, got {method!r}")
        if method == "random_search":
            self._strategy = "random"
        if self._experiment is not None and self._experiment.has_goals:
            self._experiment.begin(self._experiment.goals, self._strategy)

    def set_generation_strategy(self, generation_strategy: object) -> None:
        """Without effect, with a warning: tunepass's own strategy suggests."""
        warnings.warn("tunepass does not use Ax's generation strategies; its own one suggests", stacklevel=2)

    def configure_tracking_metrics(self, metric_names: Sequence[str]) -> None:
        """Accepted: all metrics of trials are kept."""

    # -- trials

    def get_next_trials(
        self, max_trials: int, fixed_parameters: Mapping[str, Foreign] | None = None
    ) -> dict[int, dict[str, Foreign]]:
        """The next trials by index, each knowing of those under evaluation; fewer where no more are left.

        Raises:
            StudyError: the client is not configured, or parameters are to be fixed.
        """
        experiment = self._configured()
        if fixed_parameters:
            raise StudyError("fixed parameters are not searched around", hint="give them a constraint, or one value")
        trials: dict[int, dict[str, Foreign]] = {}
        for _ in range(validation.valid_count(max_trials, "get_next_trials")):
            trial = experiment.suggested()
            if trial is None:
                break
            trials[trial.index] = dict(trial.parameters)
        return trials

    def attach_trial(self, parameters: Mapping[str, Foreign], arm_name: str | None = None) -> int:
        """Begin a trial with parameters of one's own; its index.

        Raises:
            StudyError: the parameters are not of the search space.
        """
        return self._configured().attach(parameters, arm_name).index

    def attach_baseline(self, parameters: Mapping[str, Foreign], arm_name: str | None = None) -> int:
        """Begin the trial that relative outcome constraints are about; its index.

        Raises:
            StudyError: the parameters are not of the search space.
        """
        experiment = self._configured()
        experiment.baseline = experiment.attach(parameters, arm_name or "baseline").index
        return experiment.baseline

    def attach_data(self, trial_index: int, raw_data: Mapping[str, object], progression: int | None = None) -> None:
        """Keep metrics of a trial under evaluation; later ones take the place of earlier ones.

        Raises:
            StudyError: there is no such trial, or a metric is no number.
        """
        self._configured().running(trial_index).take(raw_data)

    def complete_trial(
        self, trial_index: int, raw_data: Mapping[str, object] | None = None, progression: int | None = None
    ) -> TrialStatus:
        """End a trial, with its metrics: a number each, or a number and its standard error, which is kept for reports.

        Raises:
            StudyError: there is no such trial under evaluation, or a metric is no number.
        """
        trial = self._configured().running(trial_index)
        if raw_data is not None:
            trial.take(raw_data)
        return self._configured().end(trial, TrialStatus.COMPLETED)

    def mark_trial_failed(self, trial_index: int, failed_reason: str | None = None) -> None:
        """End a trial as a failure, from which the search learns.

        Raises:
            StudyError: there is no such trial under evaluation.
        """
        trial = self._configured().running(trial_index)
        trial.reason = failed_reason or ""
        self._configured().end(trial, TrialStatus.FAILED)

    def mark_trial_abandoned(self, trial_index: int) -> None:
        """End a trial from which nothing is learnt; it is not suggested again.

        Raises:
            StudyError: there is no such trial under evaluation.
        """
        self._configured().end(self._configured().running(trial_index), TrialStatus.ABANDONED)

    def mark_trial_early_stopped(self, trial_index: int) -> None:
        """End a trial that was stopped since it is no better than the incumbent: it is censored.

        Raises:
            StudyError: there is no such trial under evaluation, or it has no data.
        """
        trial = self._configured().running(trial_index)
        if not trial.data:
            raise StudyError(f"trial {trial_index} has no data", hint="mark_trial_abandoned ends it without")
        self._configured().end(trial, TrialStatus.EARLY_STOPPED)

    def should_stop_trial_early(self, trial_index: int) -> bool:
        """False: nothing here decides it.

        Raises:
            StudyError: there is no such trial under evaluation.
        """
        self._configured().running(trial_index)
        return False

    # -- results

    def get_best_parameterization(self, use_model_predictions: bool = True) -> Point:
        """Parameters, metrics as (mean, standard error), index and arm's name of the best trial, as it was measured.

        Args:
            use_model_predictions: accepted; the metrics are the measured ones.

        Raises:
            StudyError: there are several objectives, or no trial has a value yet.
        """
        experiment = self._configured()
        if len(experiment.goals.goals) > 1:
            raise StudyError("several objectives have no best trial", hint="get_pareto_frontier has the front")
        (objective,) = experiment.goals.objectives
        losses = {trial.index: objective.loss(value) for trial, (value,) in experiment.measured()}
        if not losses:
            raise StudyError("no trial has a value of the objective yet")
        return _point(experiment.trials[min(losses, key=losses.__getitem__)])

    def get_pareto_frontier(self, use_model_predictions: bool = True) -> list[Point]:
        """The trials that no other is better than in all objectives; see `get_best_parameterization`.

        Raises:
            StudyError: there is one objective.
        """
        experiment = self._configured()
        if len(experiment.goals.goals) == 1:
            raise StudyError("one objective has no front", hint="get_best_parameterization has the best trial")
        front = {trial.configuration for trial in experiment.keyed.study.pareto}
        last = {trial.configuration: trial for trial, _ in experiment.measured() if trial.configuration in front}
        return [_point(trial) for trial in last.values()]

    def summarize(self) -> pandas.DataFrame:
        """A row a trial: index, arm, status, metrics, parameters.

        Raises:
            StudyError: pandas is not installed.
        """
        try:
            frame = importlib.import_module("pandas").DataFrame
        except ModuleNotFoundError:
            raise StudyError("summarize makes a DataFrame of pandas, which is not installed") from None
        rows = [
            {
                "trial_index": t.index,
                "arm_name": t.arm_name,
                "trial_status": t.status.value,
                **t.means(),
                **t.parameters,
            }
            for t in self._configured().trials.values()
        ]
        return frame(rows)

    def compute_analyses(self, analyses: object = None, display: bool = True) -> list[object]:
        """Nothing, with a warning: tunepass draws none of Ax's analyses."""
        warnings.warn("tunepass computes none of Ax's analyses; client.study has what it knows", stacklevel=2)
        return []

    # -- a client as a file

    def save_to_json_file(self, filepath: str = "ax_client_snapshot.json") -> None:
        """Write the experiment and its trials as JSON of tunepass's own."""
        experiment = self._configured()
        goals = experiment.goals if experiment.has_goals else None
        saved = snapshot.Snapshot(
            self._seed,
            self._configs,
            self._constraints,
            None if goals is None else goals.objective_text,
            () if goals is None else goals.constraint_texts,
            experiment.baseline,
            tuple(experiment.trials.values()),
            self._metric_names,
        )
        snapshot.write(saved, Path(filepath))

    @classmethod
    def load_from_json_file(cls, filepath: str = "ax_client_snapshot.json", storage_config: object = None) -> Client:
        """The client of a file that `save_to_json_file` wrote; it goes on with other random numbers.

        Raises:
            StudyError: the file is none of tunepass's, such as one of Ax.
        """
        saved = snapshot.read(Path(filepath))
        client = cls((saved.seed + len(saved.trials)) % (1 << 32), storage_config)
        client.configure_experiment(saved.configs, saved.constraints)
        experiment = client._configured()
        for trial in saved.trials:
            again = experiment.attach(trial.parameters, trial.arm_name)
            again.data, again.reason, again.status = trial.data, trial.reason, trial.status
        experiment.baseline = saved.baseline
        client._metric_names = saved.metric_names
        if saved.objective is not None:
            client.configure_optimization(saved.objective, saved.outcome_constraints)
        return client

    def _configured(self) -> Experiment:
        if self._experiment is None:
            raise StudyError("there is no experiment yet", hint="call configure_experiment first")
        return self._experiment


def _point(trial: ClientTrial) -> Point:
    return dict(trial.parameters), trial.readings(), trial.index, trial.arm_name
