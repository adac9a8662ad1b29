"""The results of a study: its trials, the best of them, and what they say."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tunepass.capabilities import capability
from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.study.capabilities import HasSources, ReportsFeasibleRecall, ReportsPriorWeight
from tunepass.study.locking import locked
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed
from tunepass.study.results.distance import distance_from_default
from tunepass.study.results.importance import importance_in
from tunepass.study.results.pareto import nondominated
from tunepass.study.results.recommendation import Recommendation, recommend
from tunepass.study.results.trial_table import trial_columns
from tunepass.study.state import StudyState
from tunepass.study.trial import Trial
from tunepass.study.trust import Trust, rank_correlation

if TYPE_CHECKING:
    import pandas


class StudyResults(StudyState):
    """The properties of a study that its trials decide."""

    @property
    @locked
    def trials(self) -> list[Trial]:
        """All trials in order."""
        return list(self._trials)

    @property
    @locked
    def best(self) -> Trial | None:
        """The measured trial with the smallest loss; of equals the one closest to the default, then the earliest."""
        self._single("best")
        measured = self._losses()
        least = min((losses for losses, _ in measured), default=())
        equals = [trial for losses, trial in measured if losses == least]
        return min(equals, key=lambda t: (distance_from_default(self.space, t.configuration), t.number), default=None)

    @property
    @locked
    def recommended(self) -> Recommendation | None:
        """The trial that is believed to be best, with its value and the interval that holds it: with noise the best
        that was seen is often a lucky one. `best` where nothing is known of the noise."""
        objective, believed = self._single("recommended"), self._believed()
        return recommend(self.space, objective, *believed) if believed else None

    @property
    @locked
    def pareto(self) -> list[Trial]:
        """The measured trials that no other dominates, sorted by their losses."""
        measured = self._losses()
        optimal = nondominated([losses for losses, _ in measured])
        front = [(losses, t.number, t) for (losses, t), on_front in zip(measured, optimal) if on_front]
        return [t for *_, t in sorted(front, key=lambda entry: entry[:2])]

    @property
    @locked
    def best_so_far(self) -> list[float | None]:
        """The best value after each trial; None until one is measured."""
        objective = self._single("best_so_far")
        loss_of = {trial.number: losses[0] for losses, trial in self._losses()}
        best, series = math.inf, list[float | None]()
        for trial in self._trials:
            best = min(best, loss_of.get(trial.number, math.inf))
            series.append(None if best == math.inf else objective.value(best))
        return series

    @property
    @locked
    def failures(self) -> dict[str, int]:
        """How many trials failed at each stage, most first; `infeasible` counts broken hidden constraints."""
        failed = [t.outcome for t in self._trials if not t.measured]
        return dict(Counter(o.stage if isinstance(o, Failed) else "infeasible" for o in failed).most_common())

    @locked
    def importance(self, objective: str | None = None) -> dict[str, float]:
        """How much each parameter decides between good and bad trials, most first.

        The share is the divergence, from 0 to 1, between the values of the best fifth of the trials and of the others;
        a failed trial is among the others.

        Args:
            objective: the name of one; None: the only one.

        Returns:
            The share by parameter; `{}` of fewer than five measured trials.

        Raises:
            StudyError: no such objective, or several and none named.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")])
            >>> study.optimize(lambda trial: float(trial["tile"]), n_trials=9)
            >>> list(study.importance())
            ['tile', 'unroll']
        """
        chosen = self._single("importance") if objective is None else self._objective(objective)
        return importance_in(self.space, chosen, self._trials)

    @locked
    def trials_columns(self) -> dict[str, list[object]]:
        """The trials as a list for each column, one entry a trial; None where a trial has no value.

        The columns are `number`, `values_` and `params_` with the names of objectives and parameters, `state`
        (`measured`, `censored`, `failed` or `infeasible`), `reason` (the stage or the constraint) and `seconds`.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")])
            >>> trial = study.observe(space.default, tp.Measured({"time": 3.5}))
            >>> study.trials_columns()["values_time"], study.trials_columns()["params_tile"]
            ([3.5], [8])
        """
        return trial_columns(self._trials, self.objectives, [p.name for p in self.space.parameters])

    def trials_dataframe(self) -> pandas.DataFrame | dict[str, list[object]]:
        """The table of `trials_columns` as a pandas.DataFrame; where pandas is not installed, the columns themselves.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")])
            >>> trial = study.observe(space.default, tp.Measured({"time": 3.5}))
            >>> list(study.trials_dataframe()["values_time"])
            [3.5]
        """
        try:
            import pandas
        except ImportError:
            return self.trials_columns()
        return pandas.DataFrame(self.trials_columns())

    def _objective(self, name: str) -> Objective:
        known = {objective.name: objective for objective in self.objectives}
        if name not in known:
            hint = spelling_hint(str(name), [*known], f"there are {', '.join(known)}", quote=repr)
            raise StudyError(f"no objective {name!r} in this study", hint=hint)
        return known[name]

    @property
    @locked
    def trust(self) -> Trust | None:
        """Agreement of the prior mean with the trials so far; None without a prior mean."""
        if self.task.prior_mean is None:
            return None
        measured = self._losses()
        columns = self.space.columns([t.configuration for _, t in measured])
        values = self.task.prior_mean.values(self.space, columns) if measured else np.empty(0)
        expected = np.array([self.objectives[0].loss(float(value)) for value in values])
        known = np.isfinite(expected)
        losses = np.array([losses[0] for losses, _ in measured])[known]
        relying = capability(self._strategy, ReportsPriorWeight)
        several = capability(self.task.prior_mean, HasSources)
        shares = tuple(float(share) for share in several.weights) if several is not None else ()
        weight = relying.prior_weight if relying is not None else None
        return Trust(rank_correlation(expected[known], losses), weight, len(losses), shares)

    @property
    @locked
    def feasible_recall(self) -> float | None:
        """The share of the feasible trials whose chance the feasibility model, had it not seen them, puts at 1/2 or
        more, as of the latest suggestion; None while nothing failed, or where the strategy has no such model."""
        reporting = capability(self._strategy, ReportsFeasibleRecall)
        return reporting.feasible_recall if reporting is not None else None
