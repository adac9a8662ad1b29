"""An Optuna study as earlier trials of a study of tunepass."""

from __future__ import annotations

from optuna.study import Study as OptunaStudy
from optuna.study import StudyDirection
from optuna.trial import TrialState

from tunepass.diagnostics import StudyError
from tunepass.integrations.earlier_trials import EarlierTrial, EarlierTrials
from tunepass.integrations.optuna.outcomes import violated
from tunepass.space.plain_values import as_whole, is_finite


def earlier_trials(study: OptunaStudy, objective: int = 0) -> EarlierTrials:
    """The complete and failed trials of an Optuna study; one that violates a constraint counts as failed.

    Args:
        study: in any storage.
        objective: the place of one of its directions.

    Returns:
        The trials: `prior_mean(objective)` of them, or `observe_in(study)`.

    Raises:
        StudyError: there is no such direction.

    Example:
        >>> import optuna
        >>> study = optuna.create_study(sampler=TunepassSampler(seed=0))
        >>> study.optimize(lambda trial: 8 / trial.suggest_int("tile", 1, 8), n_trials=5)
        >>> target = tp.Study(tp.Space([tp.Integer("tile", 1, 16)]), [tp.Objective("time")])
        >>> earlier_trials(study).observe_in(target)
        5
    """
    place = as_whole(objective)
    if place is None or not 0 <= place < len(study.directions):
        raise StudyError(f"the study has {len(study.directions)} objectives, counted from 0, got {objective!r}")
    trials = []
    for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.FAIL)):
        failed = trial.state == TrialState.FAIL or violated(trial.system_attrs) is not None
        value = None if failed else float(trial.values[place])
        known = value is not None and is_finite(value)
        if trial.params:
            trials.append(EarlierTrial(trial.params, value if known else None))
    return EarlierTrials(trials, maximise=study.directions[place] == StudyDirection.MAXIMIZE)
