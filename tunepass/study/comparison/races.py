"""A study whose configurations are evaluated on several instances, and leave the race where they cannot win."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study import validation
from tunepass.study.comparison.instances import Instance, Instances
from tunepass.study.locking import locked
from tunepass.study.objective import Objective
from tunepass.study.optimize.answers import evaluation_of
from tunepass.study.optimize.intermediate import IntermediateValues
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial

RECENT = 50  # configurations evaluated on all instances that say how much instances differ


class RacedStudy(IntermediateValues):
    """The methods of a study that evaluate on instances."""

    @property
    def _resumable(self) -> bool:
        return self.instances is not None

    def race(self, trial: Mapping[str, Value], function: Callable[[Instance], object]) -> Trial:
        """Evaluate a configuration on the study's instances, one after the other, and store its trial.

        A race that was interrupted goes on where it was. One that the configuration leaves early makes a censored trial
        with the value that is predicted of it.

        Args:
            trial: the configuration under evaluation, which `suggest` returned.
            function: of an instance. It returns a value or an outcome, as the function of `optimize` does; after a
                failure the race is over, and the trial has failed.

        Returns:
            The stored trial; `intermediate` has the values by the instances' places in their `order`.

        Raises:
            StudyError: the study has no instances, the configuration is not under evaluation, or `function` returned
                something else.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")], instances=[1000, 4000])
            >>> (configuration,) = study.suggest()
            >>> study.race(configuration, lambda size: size * configuration["unroll"] / 1000)
            <Trial 0: tile=8, unroll=1 -> time=2.5>
        """
        instances, objective = self._raced(), self._single("race")
        configuration, start = validation.valid_configuration(self.space, trial), time.monotonic()
        outcome: Outcome
        while (place := self._next_place(configuration)) is not None:
            instance = instances.order[place]
            outcome = evaluation_of(function(instance), self.objectives, 0.0).outcome
            if not isinstance(outcome, Measured):
                if isinstance(outcome, Failed):
                    outcome = Failed(outcome.stage, f"on the instance {instance}: {outcome.log}")
                break
            self._store_intermediate(configuration, place, _value(outcome, objective))
        else:
            outcome = self._race_outcome(configuration)
        return self.observe(configuration, outcome, seconds={"measure": time.monotonic() - start})

    def _raced(self) -> Instances:
        if self.instances is None:
            hint = "write tunepass.Study(..., instances=[...])"
            raise StudyError("a race is over instances, and the study has none", hint=hint)
        return self.instances

    @locked
    def _next_place(self, configuration: Configuration) -> int | None:
        """The place of the next instance in their order; None at the end of the race."""
        instances, losses = self._raced(), self._losses_on_instances(configuration)
        if len(losses) == len(instances):
            return None
        complete = self._complete() if losses and instances.confidence is not None else []
        if complete:
            best = min(complete, key=instances.judged)
            others = [other for other in complete[-RECENT:] if other is not best]
            if instances.predicted(losses, best, others, end=True) > instances.judged(best):
                return None
        return len(losses)

    @locked
    def _race_outcome(self, configuration: Configuration) -> Measured:
        """The measurement of a race that is over: of one that was left early a censored one, with its prediction."""
        instances, objective = self._raced(), self._single("race")
        losses = self._losses_on_instances(configuration)
        if len(losses) == len(instances):
            return Measured({objective.name: objective.value(instances.judged(losses))})
        best = min(self._complete(), key=instances.judged)
        samples = tuple(objective.value(loss) for loss in losses)
        return Measured({objective.name: objective.value(instances.predicted(losses, best))}, samples, censored=True)

    def _losses_on_instances(self, configuration: Configuration) -> list[float]:
        """Losses of a configuration under evaluation, in the order of races."""
        objective = self._single("race")
        self._catch_up()
        reported = self.store.reported(self._record)
        if configuration not in reported:
            raise StudyError(
                f"a race is of a configuration under evaluation, and {configuration!r} is not", hint="suggest it first"
            )
        return [objective.loss(value) for _, value in sorted(reported[configuration].items())]

    def _complete(self) -> list[tuple[float, ...]]:
        """Losses of the trials that were evaluated on all instances."""
        objective, n = self._single("race"), len(self._raced())
        curves = [c for t in self._trials if (c := self._trial_curve(t, objective)) is not None and c.final is not None]
        return [curve.losses for curve in curves if len(curve.losses) == n]


def _value(measured: Measured, objective: Objective) -> float:
    if measured.values.keys() != {objective.name}:
        raise StudyError(f"an instance has a value of {objective.name}, got values of {', '.join(measured.values)}")
    return measured.values[objective.name]
