"""Intermediate values of a study's evaluations, and evaluations that they end early."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study import validation
from tunepass.study.comparison.instances import Instances
from tunepass.study.locking import locked
from tunepass.study.objective import Objective
from tunepass.study.optimize.pruner import Curve, Pruner, best_final
from tunepass.study.outcome import Measured
from tunepass.study.suggestions import Suggestions
from tunepass.study.trial import Trial


class IntermediateValues(Suggestions):
    """The methods of a study that take intermediate values and decide by them."""

    pruner: Pruner | None
    instances: Instances | None
    _trial_curves: dict[int, tuple[Trial, Curve]]  # by the trial's number, with the trial it was worked out of

    @locked
    def report(self, trial: Mapping[str, Value], step: int, value: float) -> None:
        """Store an intermediate value of the objective; it is on disk when this returns.

        Args:
            trial: the configuration under evaluation, which `suggest` returned.
            step: above those reported before: an epoch, a number of batches, an input size.
            value: of the objective, in its unit.

        Raises:
            StudyError: an argument breaks its rule, or the configuration is not under evaluation.

        Example:
            >>> study = tp.Study(space, [tp.Objective("loss")], pruner=tp.SuccessiveHalving())
            >>> (configuration,) = study.suggest()
            >>> study.report(configuration, 1, 0.7)
            >>> study.should_prune(configuration)
            False
        """
        self._single("report")
        self._check_not_raced()
        self._store_intermediate(validation.valid_configuration(self.space, trial), step, value)

    @locked
    def _store_intermediate(self, configuration: Configuration, step: int, value: float) -> None:
        whole, number = validation.valid_step(step), validation.valid_intermediate(value)
        reported = self.store.reported(self._record)
        if configuration not in reported:
            raise StudyError(
                f"an intermediate value is of a configuration under evaluation, and {configuration!r} is not",
                hint="suggest it first",
            )
        values = reported[configuration]
        if whole <= (latest := max(values, default=-1)):
            raise StudyError(f"steps ascend, got {whole} after {latest}")
        self.store.report(self._record, configuration, {**values, whole: number})

    @locked
    def should_prune(self, trial: Mapping[str, Value]) -> bool:
        """Does the study's pruner end the evaluation of this configuration now?

        Without a pruner, or before the first report, it does not.
        """
        objective = self._single("should_prune")
        self._check_not_raced()
        configuration = validation.valid_configuration(self.space, trial)
        curve = self._curve(configuration, objective)
        if self.pruner is None or curve is None:
            return False
        return self.pruner.bound(curve, self._other_curves(configuration, objective)) is not None

    @locked
    def prune(self, trial: Mapping[str, Value], *, seconds: Mapping[str, float] | None = None) -> Trial:
        """Store an evaluation that ends early as a censored trial.

        Its value is a bound, which surrogates treat as one: the pruner's, else the incumbent's value, else the latest
        intermediate value.

        Args:
            trial: the configuration under evaluation.
            seconds: the cost by stage.

        Returns:
            The stored trial.

        Raises:
            StudyError: nothing was reported of the configuration.

        Example:
            >>> study = tp.Study(space, [tp.Objective("loss")])
            >>> (configuration,) = study.suggest()
            >>> study.report(configuration, 1, 0.7)
            >>> study.prune(configuration)
            <Trial 0: tile=8, unroll=1 -> loss=0.7 (cut short)>
        """
        configuration = validation.valid_configuration(self.space, trial)
        return self.observe(configuration, self._pruned_outcome(configuration), seconds=seconds)

    # -- within

    def _check_not_raced(self) -> None:
        if self.instances is not None:
            raise StudyError(
                "a study with instances takes its intermediate values from them",
                hint="return the value on `trial.instance`",
            )

    def _pruned_outcome(self, configuration: Configuration) -> Measured:
        """The censored measurement of an evaluation that ends now."""
        objective = self._single("prune")
        self._check_not_raced()
        curve = self._curve(configuration, objective)
        if curve is None:
            raise StudyError(
                f"only an evaluation with intermediate values is pruned, and {configuration!r} has none",
                hint="report a value first, or observe tunepass.Failed(...)",
            )
        others = self._other_curves(configuration, objective)
        bound = None if self.pruner is None else self.pruner.bound(curve, others)
        bound = best_final(others) if bound is None else bound
        loss = curve.losses[-1] if bound is None else bound
        return Measured({objective.name: objective.value(loss)}, censored=True)

    def _curve(self, configuration: Configuration, objective: Objective) -> Curve | None:
        """The curve of a configuration under evaluation; None before its first report."""
        self._catch_up()
        values = self.store.reported(self._record).get(configuration)
        return _curve_of(values, objective) if values else None

    def _other_curves(self, configuration: Configuration, objective: Objective) -> list[Curve]:
        """Curves of the trials and of the other configurations under evaluation."""
        curves = [curve for trial in self._trials if (curve := self._trial_curve(trial, objective)) is not None]
        running = self.store.reported(self._record).items()
        return curves + [_curve_of(values, objective) for c, values in running if values and c != configuration]

    def _trial_curve(self, trial: Trial, objective: Objective) -> Curve | None:
        """The curve of a trial that did not fail, worked out once; None without intermediate values."""
        outcome = trial.outcome
        if not trial.intermediate or not isinstance(outcome, Measured):
            return None
        known = self._trial_curves.get(trial.number)
        if known is None or known[0] is not trial:
            final = None if trial.censored else objective.loss(outcome.values[objective.name])
            known = self._trial_curves[trial.number] = trial, _curve_of(trial.intermediate, objective, final)
        return known[1]


def _curve_of(values: Mapping[int, float], objective: Objective, final: float | None = None) -> Curve:
    steps = sorted(values)
    return Curve(tuple(steps), tuple(objective.loss(values[step]) for step in steps), final)
