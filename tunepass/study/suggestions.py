"""Suggestions and observations of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as with_fields

from tunepass.capabilities import capability
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study import validation
from tunepass.study.capabilities import NotesPending
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.locking import locked
from tunepass.study.outcome import Evaluation, Outcome
from tunepass.study.results.recommendation import LEAST_PROBED, is_late, worth_measuring_again
from tunepass.study.results.results import StudyResults
from tunepass.study.task import never_differs, states_noise
from tunepass.study.trial import Trial

PATIENCE = 100  # how often a strategy may answer with nothing but configurations known to it


class Suggestions(StudyResults):
    """The methods of a study that suggest configurations and observe their outcomes."""

    repeats: bool
    _suggested: dict[Configuration, Configuration]  # each by itself: as it was checked
    _due_again: set[Configuration]  # returned by `again`, not observed since

    @property
    def _resumable(self) -> bool:
        """Does an interrupted evaluation go on with its intermediate values?"""
        return False

    @locked
    def suggest(
        self, n: int = 1, first: Sequence[Configuration] = (), *, shared: Sequence[Configuration] = ()
    ) -> list[Configuration]:
        """The next configurations to evaluate.

        Where measurements of one configuration have differed, or to see once whether they do, the last fifth of the
        budget goes to measured configurations that may be the best: `observe` takes those as further measurements (see
        `again`, and `repeats` of Study).

        Args:
            n: how many, at most.
            first: configurations that come before the strategy's, where they were never suggested or observed.
            shared: configurations that are suggested, before all others, even while another process evaluates them; the
                outcome that is observed first stands.

        Returns:
            At most `n` configurations; `[]` once the budget is spent or the space `exhausted`, never otherwise.

        Raises:
            StudyError: `n` is below 1, or the strategy repeats itself.
            SamplingError: no further configuration is found, and it is not proved that there is none.

        Example:
            >>> tp.Study(space, [tp.Objective("time")]).suggest()
            [Configuration(tile=8, unroll=1)]
        """
        n = validation.valid_count(n, "suggest")
        first = validation.valid_first(self.space, first)
        shared = validation.valid_first(self.space, shared, "shared")
        self._catch_up()
        if not first and not shared and (due := self._unasked_repeats(n)):
            return due
        pending = self.store.pending(self._record)
        known = {p.configuration for p in pending if not p.abandoned}
        if running := [c for c in shared if c in known and c not in self._suggested][:n]:
            self._suggested.update((c, c) for c in running)
            return running
        self._note_pending(
            [p.configuration for p in pending if not p.abandoned and p.configuration not in self._suggested]
        )
        room = min(n, self._room(len(known)))
        due = [self.space.default, *(p.configuration for p in pending if p.abandoned), *first]
        chosen = self._claim(due, known, room)
        patience = len(known) + len(self._trials) + PATIENCE
        while len(chosen) < room:
            offered = self._strategy.suggest(room - len(chosen))
            if not offered:
                if not chosen:
                    self.space.require_proof(len(known) + sum(t.configuration not in known for t in self._trials))
                break
            fresh = self._claim(offered, known, room - len(chosen))
            chosen += fresh
            if not fresh:
                if self.finished:  # another process took what the budget had left
                    break
                patience -= 1
            if patience < 0:
                raise StudyError("the strategy repeats configurations that were suggested or observed before")
        self._suggested.update((c, c) for c in chosen)
        return chosen

    @locked
    def again(self, n: int = 1) -> list[Configuration]:
        """Measured configurations for which another measurement is worth more than a new configuration.

        Each measurement costs an evaluation of the budget.

        Args:
            n: how many, at most.

        Returns:
            At most `n` configurations; `[]` without noise, and where `suggest` returns none.

        Raises:
            StudyError: the study has several objectives, or `n` is below 1.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")], max_evals=2)
            >>> for configuration in study.again() or study.suggest():
            ...     trial = study.observe(configuration, measure(configuration))
        """
        self._single("again")
        n = validation.valid_count(n, "again")
        self._catch_up()
        return self._worth_repeating(n)

    def _unasked_repeats(self, n: int) -> list[Configuration]:
        """Measured configurations that `suggest` returns instead of new ones, but for those under evaluation."""
        most, spent = self.task.max_evals, self.spent
        if not self.repeats or len(self.objectives) > 1 or not is_late(spent, most):
            return []
        if ((most or spent) < LEAST_PROBED and not states_noise(self._trials)) or never_differs(self._trials):
            return []
        under_way = set(self._due_again)
        return [c for c in self._worth_repeating(n + len(under_way)) if c not in under_way][:n]

    def _worth_repeating(self, n: int) -> list[Configuration]:
        believed, most = self._believed(), self.task.max_evals
        room = min(n, self._room(sum(not p.abandoned for p in self.store.pending(self._record))))
        if not believed or room < 1:
            return []
        due = worth_measuring_again(*believed, self.spent, most, room)
        self._due_again.update(due)
        return due

    @locked
    def observe(
        self,
        configuration: Mapping[str, Value],
        outcome: Outcome | Evaluation,
        *,
        seconds: Mapping[str, float] | None = None,
        log: str = "",
        calibration: float | None = None,
        same_as: Mapping[str, Value] | None = None,
        code: str = "",
        checks: Ledger = EMPTY,
        replace: bool = False,
        again: bool = False,
    ) -> Trial:
        """Store the outcome of a configuration, suggested or not; it is on disk when this returns.

        A configuration has one trial. Where another process has reported a configuration that was suggested here, its
        trial stands and is returned.

        Args:
            configuration: a value for each parameter.
            outcome: Measured, Infeasible or Failed; or an Evaluation, instead of `seconds` to `checks`.
            seconds: the cost by stage (`compile`, `measure`, ...).
            log: output of the tools; its end is stored.
            calibration: turns a second of the calibration loop while this was measured.
            same_as: an observed configuration whose outcome this one takes, because the code is the same.
            code: a digest of the code that ran.
            checks: what was checked of it, and what could not be.
            replace: gives an existing trial the new outcome under its old number; trials that took its outcome follow.
            again: adds a further measurement to an existing trial's mean. A configuration that the method `again`
                returned needs no flag.

        Returns:
            The stored trial, with its number.

        Raises:
            StudyError: the configuration or the outcome does not fit the study, or the configuration has a trial.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time", unit="ms")])
            >>> study.observe({"tile": 16, "unroll": 2}, tp.Measured({"time": 3.5}))
            <Trial 0: tile=16, unroll=2 -> time=3.5>
        """
        valid = self._valid(configuration)
        validation.check_flags(replace=replace, again=again)
        if isinstance(outcome, Evaluation):
            validation.check_absent(seconds=seconds, log=log, calibration=calibration, same_as=same_as, code=code)
            evaluation, same_as = outcome, outcome.same_as
        else:
            cost = {} if seconds is None else seconds
            evaluation = Evaluation(outcome, cost, log, calibration, code=code, checks=checks)
        self._catch_up()
        equal = None if same_as is None else validation.valid_configuration(self.space, same_as)
        equal_trial = None if equal is None else self._number_of.get(equal)
        trial = Trial(
            0,
            valid,
            validation.valid_outcome(evaluation.outcome, self.objectives),
            validation.valid_seconds(evaluation.seconds),
            validation.valid_log(evaluation.log),
            validation.valid_calibration(evaluation.calibration),
            equal_trial,
            validation.valid_code(evaluation.code),
            evaluation.checks,
            {} if again or replace else self.store.reported(self._record).get(valid, {}),
        )
        number = self._number_of.get(valid)
        if number is None:
            number = self.store.record(self._record, trial).number
            self._catch_up()
        else:
            self._observe_known(with_fields(trial, number=number), replace=replace, again=again)
        return self._trials[number]

    @locked
    def release(self, configuration: Mapping[str, Value]) -> None:
        """Give back a suggestion that will not be observed: it comes again before new ones, here or elsewhere."""
        valid = validation.valid_configuration(self.space, configuration)
        self._suggested.pop(valid, None)
        self.store.release(self._record, valid, resumable=self._resumable)

    @property
    @locked
    def exhausted(self) -> bool:
        """Is it proved that every configuration of the space has a trial or is under evaluation? Never of a space that
        is not counted."""
        self._catch_up()
        pending = self.store.pending(self._record)
        return self._exhausted_with(sum(not p.abandoned for p in pending))

    @property
    @locked
    def finished(self) -> bool:
        """Is the budget spent, or the space `exhausted`? What is under evaluation may still be observed."""
        self._catch_up()
        pending = self.store.pending(self._record)
        busy = sum(not p.abandoned for p in pending)
        return self._room(busy) <= 0 or self._exhausted_with(busy)

    @property
    @locked
    def elsewhere(self) -> list[Configuration]:
        """The configurations that other processes evaluate now, oldest first.

        Example:
            >>> tp.Study(space, [tp.Objective("time")]).elsewhere
            []
        """
        pending = self.store.pending(self._record)
        return [p.configuration for p in pending if not p.abandoned and p.configuration not in self._suggested]

    # -- within

    def _valid(self, configuration: Mapping[str, Value]) -> Configuration:
        """The configuration, checked unless it is the very object that `suggest` returned."""
        if isinstance(configuration, Configuration) and self._suggested.get(configuration) is configuration:
            return configuration
        return validation.valid_configuration(self.space, configuration)

    def _observe_known(self, trial: Trial, *, replace: bool, again: bool) -> None:
        """Store a further outcome of the trial of that number, if the caller or `again` has requested one."""
        known = self._trials[trial.number]
        if replace:
            changed = trial
        elif again or trial.configuration in self._due_again:
            self._due_again.discard(trial.configuration)
            number = known.number if known.same_as is None else known.same_as
            changed = self.store.measure_again(self._record, with_fields(trial, number=number))
        elif trial.configuration in self._suggested:  # another process was first
            return
        else:
            raise StudyError(
                f"this configuration is trial {trial.number} already: {trial.configuration!r}",
                hint="observe(..., again=True) takes a further measurement into its mean, replace=True gives it a new "
                "outcome",
            )
        both = [changed, *self._of_same_code(changed)]
        self.store.replace(self._record, both if replace else both[1:])
        self._revise(both)

    def _note_pending(self, elsewhere: Sequence[Configuration]) -> None:
        """Tell the strategy of the configurations that other processes evaluate, if it can use that."""
        noting = capability(self._strategy, NotesPending) if elsewhere else None
        if noting is not None:
            noting.note_pending(elsewhere)

    def _claim(self, offered: Sequence[Configuration], known: set[Configuration], room: int) -> list[Configuration]:
        """At most `room` new ones of `offered`, neither tried nor `known`: now under evaluation here, and known."""
        fresh: list[Configuration] = []
        for configuration in offered:
            if len(fresh) < room and configuration not in known and configuration not in self._number_of:
                known.add(configuration)
                fresh.append(validation.valid_configuration(self.space, configuration))
        if not fresh:
            return []
        return self.store.claim(self._record, fresh, self.task.max_evals, resumable=self._resumable)
