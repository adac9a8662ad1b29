"""An experiment behind a client: its trials, and the study that suggests them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tunepass.diagnostics import StudyError
from tunepass.integrations.ax.configs import SearchSpace
from tunepass.integrations.ax.goals import Goals
from tunepass.integrations.ax.trials import ClientTrial, TrialStatus
from tunepass.integrations.keyed_trials import KeyedTrials
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured
from tunepass.study.study import Study
from tunepass.study.task import Factory


class Experiment:
    """Trials of a search space; once there are goals, a study has their outcomes and suggests further ones."""

    def __init__(self, space: SearchSpace, seed: int, max_evals: int | None):
        self.space, self.seed, self.max_evals = space, seed, max_evals
        self.trials: dict[int, ClientTrial] = {}
        self.baseline: int | None = None
        self._goals: Goals | None = None
        self._keyed: KeyedTrials | None = None

    @property
    def has_goals(self) -> bool:
        return self._goals is not None

    @property
    def goals(self) -> Goals:
        """Raises StudyError before `begin`."""
        if self._goals is None:
            raise StudyError("there is no objective yet", hint="call configure_optimization first")
        return self._goals

    @property
    def keyed(self) -> KeyedTrials:
        """Raises StudyError before `begin`."""
        assert self.goals is not None
        assert self._keyed is not None
        return self._keyed

    def begin(self, goals: Goals, strategy: str | Factory) -> None:
        """Make the study of some goals, with the outcomes that the trials have for them."""
        options = {"seed": self.seed, "strategy": strategy, "max_evals": self.max_evals}
        self._goals = goals
        self._keyed = KeyedTrials(Study(self.space.space, goals.objectives, repeats=False, **options))  # type: ignore[arg-type]
        for trial in self.trials.values():
            self._keyed.under_evaluation[trial.index] = trial.configuration
            self._tell(trial)

    def suggested(self) -> ClientTrial | None:
        """Begin the next trial; None where none is left."""
        index = len(self.trials)
        configuration = self.keyed.suggest(index)
        return None if configuration is None else self._add(configuration, f"{index}_0")

    def attach(self, parameters: Mapping[str, Foreign], arm_name: str | None) -> ClientTrial:
        """Begin a trial with given parameters. Raises StudyError for parameters that are not of the space."""
        trial = self._add(self.space.configuration(parameters), arm_name or f"{len(self.trials)}_0")
        if self._keyed is not None:
            self._keyed.under_evaluation[trial.index] = trial.configuration
        return trial

    def running(self, trial_index: object) -> ClientTrial:
        """The trial of an index. Raises StudyError where it has ended, or there is none."""
        trial = self.trials.get(trial_index) if isinstance(trial_index, int) else None
        if trial is None:
            raise StudyError(f"there is no trial {trial_index!r}", hint="get_next_trials and attach_trial give indices")
        if trial.status != TrialStatus.RUNNING:
            raise StudyError(f"trial {trial_index} is {trial.status.value} already")
        return trial

    def end(self, trial: ClientTrial, status: TrialStatus) -> TrialStatus:
        """End a trial; the study takes in its outcome."""
        trial.status = status
        if self._keyed is not None:
            self._tell(trial)
        return status

    def measured(self) -> list[tuple[ClientTrial, tuple[float, ...]]]:
        """Completed trials that satisfy the outcome constraints, with the objectives' values."""
        measured = []
        for trial in self.trials.values():
            if trial.status == TrialStatus.COMPLETED:
                outcome = trial.outcome(self.goals, self._baseline_means(), math.inf)
                if isinstance(outcome, Measured):
                    measured.append((trial, tuple(outcome.values.values())))
        return measured

    def _add(self, configuration: Configuration, arm_name: str) -> ClientTrial:
        index = len(self.trials)
        trial = ClientTrial(index, configuration, self.space.parameterization(configuration), arm_name)
        self.trials[index] = trial
        return trial

    def _tell(self, trial: ClientTrial) -> None:
        outcome = trial.outcome(self.goals, self._baseline_means(), self._best_loss(trial))
        if outcome is not None:
            self.keyed.complete(trial.index, outcome)
        elif trial.status == TrialStatus.ABANDONED:
            self.keyed.under_evaluation.pop(trial.index, None)

    def _baseline_means(self) -> Mapping[str, float] | None:
        return None if self.baseline is None else self.trials[self.baseline].means()

    def _best_loss(self, trial: ClientTrial) -> float:
        """The incumbent's loss, at which a stopped trial is censored; infinite without one."""
        if trial.status != TrialStatus.EARLY_STOPPED or len(self.goals.goals) > 1:
            return math.inf
        losses = [self.goals.objectives[0].loss(values[0]) for _, values in self.measured()]
        return min(losses, default=math.inf)
