"""The loop of a search: suggest, evaluate, observe; then measure the finalists again and choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from tunepass.capabilities import capability
from tunepass.diagnostics import SamplingError
from tunepass.evaluators.capabilities import (
    EvaluatesSideBySide,
    NoiseFree,
    Prepares,
    Remembers,
    SetsUpAgain,
    WaitsForCores,
    Warns,
)
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.evaluators.process.failures import may_be_the_machines
from tunepass.executors.base import executor
from tunepass.search.batch_size import Jobs
from tunepass.search.budget import Budget
from tunepass.search.faults import FaultGuard, alike, doubtful_trials
from tunepass.search.finalists.choice import Verdict, differs_in_much, verdict_of_trials
from tunepass.search.finalists.final_round import FinalRound
from tunepass.search.finalists.simplify import simpler
from tunepass.search.openings import due_openings
from tunepass.search.options import SearchOptions
from tunepass.search.picks import KNEE, choice_of
from tunepass.search.probes import Defect, Probes, outdated_failures
from tunepass.search.remeasuring import Remeasuring
from tunepass.search.result import Gain, Phase, Progress, SearchResult, failures_of, none_compiled, value_of
from tunepass.search.shared_search import SharedSearch
from tunepass.search.stop import never
from tunepass.search.trial_log import TrialLog
from tunepass.signals import signal_of
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.study.ledger import UNREPORTED, Check, Ledger, priced
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate, Evaluation, Infeasible
from tunepass.study.study import Study
from tunepass.study.trial import Trial

BY_FRONT = "a point of the front is chosen by its trials"
INTERRUPTED = "the search was interrupted before it"
UNRECORDED = "the trial does not say: it is of an earlier version, or its evaluator reports no checks"
GIVE_UP_AFTER = 10  # with the default and so many trials failed, and none measured, the search gives up


class SearchLoop:
    """One run of a search: the loop, its clock and what it has seen."""

    def __init__(
        self,
        study: Study,
        objective: Objective,
        evaluate: Evaluate,
        options: SearchOptions,
        watch: Callable[[Progress], None],
        clock: Callable[[], float],
        openings: Sequence[Opening] = (),
        probes: Sequence[Configuration] = (),
        defect: Defect | None = None,
        stop: Callable[[], bool] = never,
    ):
        self.study, self.objective, self.evaluate = study, objective, evaluate
        self.options, self.watch, self.openings = options, watch, openings
        untimed = self.noise_free and capability(evaluate, Prepares) is not None
        self.trial_log = TrialLog(study, objective)
        self.probes = Probes(self.trial_log, evaluate, probes, defect)
        self.jobs = Jobs(options.jobs, self.trial_log, untimed)
        self.guard = FaultGuard(evaluate, executor(options.executor, self.jobs.most))
        self.budget = Budget(self.trial_log, evaluate, options.budget_s, options.max_evals, clock)
        self.final = FinalRound(self.trial_log, self.budget, evaluate, self.guard, sanitize=options.sanitize)
        self.again = Remeasuring(self.trial_log, self.budget, evaluate, self.guard)
        self.sharing = SharedSearch(
            self.trial_log, self.budget, self.guard.pause, lambda note: self.show("search", None, note)
        )
        self.evaluations = 0
        self.exploring = True
        self.stop, self.stopped = stop, False
        if (waiting := capability(evaluate, WaitsForCores)) is not None:
            waiting.patience = Patience(
                lambda note: self.show("search", None, note),
                self.budget.patience_s,
                search_left_s=self.search_left_s,
                search_s=options.budget_s,
            )
        if (remembering := capability(evaluate, Remembers)) is not None:
            remembering.remember(self.trial_log.trials)  # but failures that may be the machine's

    def run(self) -> SearchResult:
        verdict, interrupted = None, 0
        try:
            with suppress(OutOfTime):
                self.explore()
            self.exploring = False
            verdict = self.verdict_of_finalists()
        except KeyboardInterrupt as interrupt:
            interrupted = signal_of(interrupt)
        choice, gains = self.chosen(verdict)
        warning = capability(self.evaluate, Warns)
        warnings = [*(warning.warnings if warning is not None else ()), *self.final.warnings]
        warnings += none_compiled(self.trial_log.trials, self.trial_log.default)
        return SearchResult(
            choice=choice,
            default=self.study.space.default,
            objectives=self.study.objectives,
            gains=gains,
            pareto=tuple(self.study.pareto),
            trials=tuple(self.trial_log.trials),
            trial_count=len(self.trial_log.trials),
            evaluations=self.evaluations,
            interrupted=interrupted,
            stopped=self.stopped,
            warnings=tuple(warnings),
            comparison=self.final.comparison,
            seconds={**self.budget.seconds, "total": self.budget.elapsed()},
            checks=self.checks_of(choice, interrupted=interrupted > 0 or self.stopped),
        )

    def must_stop(self) -> bool:
        """Does the caller ask for the end, or has it before?"""
        self.stopped = self.stopped or bool(self.stop())
        return self.stopped

    @property
    def noise_free(self) -> bool:
        return capability(self.evaluate, NoiseFree) is not None

    @property
    def by_front(self) -> bool:
        """The choice is a point of the front as it is: values have no noise, or no one objective decides."""
        return self.noise_free or (self.options.pick == KNEE and len(self.study.objectives) > 1)

    # -- exploring

    def explore(self) -> None:
        """Until the time, the evaluations or the space is spent, the search gives up, or the caller stops it. The
        default is evaluated in any case but the last."""
        self.show("search", None)
        if self.must_stop():
            return
        self.probe_again()
        self.reevaluate_failures()
        if (side_by_side := capability(self.evaluate, EvaluatesSideBySide)) is not None:
            self.explore_side_by_side(side_by_side)
            return
        while not (self.trial_log.trials and (self.budget.over() or self.gave_up())):
            self.remeasure_best()
            before = self.budget.elapsed()
            # The default goes alone: what it tells of limits and of the reference serves all others.
            less = self.simpler_ones()
            first = less or [*self.probes.due(), *self.openings_due()]
            suggested = self.suggestions(self.batch(), first)
            self.budget.spend("strategy", self.budget.elapsed() - before)
            if not suggested:
                return
            for configuration, evaluation in self.guard.evaluations(suggested):
                self.keep_and_check(configuration, evaluation, simpler_ones=less)
                if self.must_stop():
                    return

    def explore_side_by_side(self, evaluator: EvaluatesSideBySide) -> None:
        """As `explore`, with a suggestion for each process that is free, whatever others are at. Those under way are
        awaited at the end of the evaluations or of the time; not where the caller stops the search."""
        less: set[Configuration] = set()
        last = False  # nothing more is begun
        while True:
            alone = not self.trial_log.trials
            last = last or (not alone and (self.budget.over() or self.gave_up()))
            room = min(evaluator.room, 1 - evaluator.under_way) if alone else evaluator.room
            if not last and room > 0:
                self.remeasure_best()
                before = self.budget.elapsed()
                simpler_ones = self.simpler_ones()
                less.update(simpler_ones)
                suggested = self.suggestions(room, simpler_ones or [*self.probes.due(), *self.openings_due()])
                self.budget.spend("strategy", self.budget.elapsed() - before)
                evaluator.begin(suggested)
                last = not suggested
            if not evaluator.under_way:
                if last:
                    return
                continue
            configuration, evaluation = evaluator.ended()
            if evaluation is None:
                self.study.release(configuration)
                last = True
                continue
            self.keep_and_check(configuration, evaluation, simpler_ones=less)
            if self.must_stop():
                return

    def keep_and_check(
        self, configuration: Configuration, evaluation: Evaluation, *, simpler_ones: Collection[Configuration]
    ) -> None:
        """Store an evaluation; measure a simpler variant of the best again beside that."""
        best = self.trial_log.best
        trial = self.keep(configuration, evaluation)
        self.probes.check(trial)
        if best is not None and configuration in simpler_ones and differs_in_much(best.configuration, self.study.space):
            self.again.remeasure_against_best(trial, best)

    def suggestions(self, n: int, first: Sequence[Configuration]) -> list[Configuration]:
        """The next configurations; none, with a warning, where sampling finds no more after the default."""
        if not self.trial_log.trials:
            return self.sharing.suggest(1, first)
        try:
            return self.sharing.suggest(n, first)
        except SamplingError as error:
            self.final.warnings.append(f"the search ended before its budget: {error.diagnostics[0].message}")
            return []

    def probe_again(self) -> None:
        """Evaluate again the probes that did not compile in an earlier build."""
        for configuration in self.probes.failed():
            self.probes.check(self.keep(configuration, self.guard.evaluation(configuration), replace=True))

    def reevaluate_failures(self) -> None:
        """Evaluate again what failed in an earlier build and may have been the machine's fault: the default, what
        failed as it did if it fails so no more, and what failed with a machine's words. Also what failed in another
        text than tunepass now writes."""
        if capability(self.evaluate, SetsUpAgain) is None:
            return
        trials, default = self.trial_log.trials, self.trial_log.default
        due = [*doubtful_trials(trials), *outdated_failures(trials, self.evaluate)]
        failed = [t for t in trials if t.configuration == default and may_be_the_machines(t.outcome)]
        for trial in failed:
            before = alike(trial, trials)
            self.keep(default, self.guard.evaluation(default), replace=True)
            if not alike(trial, self.trial_log.trials[trial.number : trial.number + 1]):
                due += before
        for configuration in dict.fromkeys(t.configuration for t in due if t not in failed):
            if self.budget.over():
                return
            self.keep(configuration, self.guard.evaluation(configuration), replace=True)

    def batch(self) -> int:
        """How many suggestions to ask for: an evaluation that costs nothing is faster than a strategy thinks."""
        free = capability(self.evaluate, NoiseFree)
        return max(self.jobs(), 1 if free is None else free.worthwhile(len(self.trial_log.trials)))

    @property
    def _one_with_noise(self) -> bool:
        """Is there one objective, which has noise?"""
        return not self.by_front and len(self.study.objectives) == 1

    def openings_due(self) -> list[Configuration]:
        """Pending seed configurations, which precede the strategy's suggestions."""
        return (
            due_openings(self.openings, self.trial_log.trials, self.objective, self.study.space)
            if self._one_with_noise
            else []
        )

    def simpler_ones(self) -> list[Configuration]:
        """Simpler variants of the best trial, closer to the default; late in the search they precede all others."""
        best = self.trial_log.best
        if best is None or not self._one_with_noise or not self.budget.late():
            return []
        return simpler(best, self.trial_log.trials, self.objective, self.study.space, self.batch())

    def remeasure_best(self) -> None:
        """Before what differs from the default in much is made simpler, it is measured again."""
        best = self.trial_log.best
        if best is None or not self._one_with_noise or not self.budget.late():
            return
        if differs_in_much(best.configuration, self.study.space) and self.again.best_few():
            self.show("search", None)

    def keep(self, configuration: Configuration, evaluation: Evaluation, *, replace: bool = False) -> Trial:
        trial = self.trial_log.keep(configuration, evaluation, replace=replace)
        for stage, seconds in evaluation.seconds.items():
            self.budget.spend(stage, seconds)
        self.evaluations += trial.same_as is None
        self.show("search", trial)
        return trial

    def search_left_s(self) -> float:
        """Seconds left for a trial; finalists are measured in any case."""
        return self.budget.trial_s() if self.exploring else math.inf

    def gave_up(self) -> bool:
        trials = self.trial_log.trials
        unfit = self.noise_free and any(isinstance(t.outcome, Infeasible) for t in trials)
        return len(trials) >= GIVE_UP_AFTER and self.trial_log.best is None and not unfit

    # -- the choice

    def verdict_of_finalists(self) -> Verdict | None:
        """Verdict of the finalists, measured again; None where the choice is by the trials: of a front, whose choice is
        verified, and after the caller has stopped the search."""
        if self.must_stop():
            return None
        if self.by_front:
            self.final.verification.clean_finalists()
            self.verify_front_choice()
            return None
        return self.final.verdict(lambda: self.show("finalists", None))

    def verify_front_choice(self) -> None:
        """Verify the point of the front that is chosen by its trial; a faulty one fails, and another is chosen."""
        if self.noise_free:
            return
        self.final.rounds = Check("rounds", "could not run", BY_FRONT)
        choice, gains = self.chosen(None)
        while gains and not self.final.verification.passed(choice):
            choice, gains = self.chosen(None)

    def chosen(self, verdict: Verdict | None) -> tuple[Configuration, tuple[Gain, ...]]:
        """The choice and what it gains; the default and no gains where nothing was measured."""
        if self.by_front:
            return choice_of(self.study, self.options.pick)
        verdict = verdict or verdict_of_trials(self.trial_log.trials, self.objective, self.study.space)
        return (verdict.choice, self.gains(verdict)) if verdict else (self.study.space.default, ())

    def gains(self, verdict: Verdict) -> tuple[Gain, ...]:
        """The picked objective as the finalists tell it, the others as their trials do."""
        trial_of = {t.configuration: t for t in self.trial_log.trials}
        gains = []
        for objective in self.study.objectives:
            if objective == self.objective:
                gains.append(verdict.as_gain(objective))
                continue
            chosen = value_of(trial_of[verdict.choice], objective)
            default = value_of(trial_of[self.study.space.default], objective)
            if chosen is not None:
                gain = None if default is None else objective.gain(default, chosen)
                gains.append(Gain(objective=objective, default=default, chosen=chosen, gain=gain))
        return tuple(gains)

    def checks_of(self, choice: Configuration, *, interrupted: bool) -> Ledger:
        """Every check of the choice; those that nobody reported could not run."""
        if self.noise_free:
            return priced()
        checks = self.trial_log.checks_of(choice)
        if interrupted:
            return checks.updated([self.final.rounds]).completed(INTERRUPTED, "run the same command to go on")
        reason = UNREPORTED if checks else UNRECORDED
        return checks.updated([self.final.rounds]).completed(reason)

    # -- telling

    def show(self, phase: Phase, latest: Trial | None, note: str = "") -> None:
        trials = self.trial_log.trials
        self.watch(
            Progress(
                phase=phase,
                objective=self.objective,
                evaluations=sum(t.same_as is None for t in trials),
                max_evals=self.options.max_evals,
                elapsed_s=self.budget.elapsed(),
                budget_s=self.options.budget_s,
                default=value_of(trials[0], self.objective) if trials else None,
                best=self.trial_log.best,
                latest=latest,
                failures=failures_of(trials),
                start=self.study.space.default,
                trust=self.study.trust,
                note=note,
            )
        )
