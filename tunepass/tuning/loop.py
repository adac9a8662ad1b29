"""The loop of a search: suggest, evaluate, observe; then measure the finalists again and choose."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace as with_fields
from functools import partial
from statistics import median

from tunepass.evaluators.capabilities import (
    ComparesAgain,
    LooksAgain,
    NoiseFree,
    Prepares,
    Remembers,
    Sanitizes,
    SetsUpAgain,
    TimesRounds,
    WaitsForCores,
    Warns,
)
from tunepass.evaluators.process.cores import MOST_S, OutOfTime, Patience
from tunepass.evaluators.process.failures import may_be_the_machines
from tunepass.executors.base import executor
from tunepass.signals import signal_of
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.study.comparison import Comparison, comparison_of
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate, Evaluation, Failed, Infeasible
from tunepass.study.study import Study
from tunepass.study.trial import Trial, comparable
from tunepass.tuning.drift import at_first_speed
from tunepass.tuning.faults import FaultGuard, alike, doubtful_trials, patiently
from tunepass.tuning.finalists import Verdict, finalists, verdict_of_rounds, verdict_of_trials
from tunepass.tuning.openings import due_openings
from tunepass.tuning.options import SearchOptions
from tunepass.tuning.picks import KNEE, choice_of
from tunepass.tuning.result import Found, Gain, Phase, Progress, failures_of, value_of
from tunepass.tuning.rounds import MOST_ROUNDS, RESERVED_ROUNDS, Rounds, measurements
from tunepass.tuning.simplify import simpler

GIVE_UP_AFTER = 10  # with the default and so many trials failed, and none measured, the search gives up
LATE = 0.8  # of the evaluations, or of the time, has the search to itself; then the best is simplified first
FINALISTS_SHARE = 0.35  # of the time budget, at most, is kept for measuring the finalists again
LEAST_PATIENCE_S = 5.0  # most measurements of others end sooner
LEAST_FINALISTS_S = 3.0  # where only evaluations are limited, and the search was short
FEW_ROUNDS = 12  # of the best: where there is no time for so many, fewer finalists are compared
ROUND_SHARE = 0.5  # of a trial's measurement, at most, that a round takes, unless the evaluator says what it takes


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
    ):
        self.study, self.objective, self.evaluate = study, objective, evaluate
        self.options, self.watch, self.clock, self.openings = options, watch, clock, openings
        untimed = self.noise_free and isinstance(evaluate, Prepares)
        self.jobs = options.jobs or (len(os.sched_getaffinity(0)) if untimed else 1)
        self.guard = FaultGuard(evaluate, executor(options.executor, self.jobs))
        self.start = clock()
        self.evaluations = 0
        self.exploring = True
        self.warnings: list[str] = []
        self.seconds: dict[str, float] = {}
        self.comparison: Comparison | None = None
        self.trials: list[Trial] = study.trials
        self.best = self.best_trial()
        if isinstance(evaluate, WaitsForCores):
            evaluate.patience = Patience(
                lambda note: self.show("search", None, note), self.patience_s, search_left_s=self.search_left_s
            )
        if isinstance(evaluate, Remembers):
            evaluate.remember(self.trials)  # but failures that may be the machine's

    def run(self) -> Found:
        verdict, interrupted = None, 0
        try:
            with suppress(OutOfTime):
                self.explore()
            self.exploring = False
            verdict = self.compare_finalists()
        except KeyboardInterrupt as interrupt:
            interrupted = signal_of(interrupt)
        choice, gains = self.chosen(verdict)
        return Found(
            choice=choice,
            default=self.study.space.default,
            objectives=self.study.objectives,
            gains=gains,
            pareto=tuple(self.study.pareto),
            trials=tuple(self.trials),
            trial_count=len(self.trials),
            evaluations=self.evaluations,
            interrupted=interrupted,
            warnings=(*(self.evaluate.warnings if isinstance(self.evaluate, Warns) else ()), *self.warnings),
            comparison=self.comparison,
            seconds={**self.seconds, "total": self.elapsed()},
        )

    def chosen(self, verdict: Verdict | None) -> tuple[Configuration, tuple[Gain, ...]]:
        """The choice and what it gains; the default and no gains where nothing was measured."""
        if self.by_front:
            return choice_of(self.study, self.options.pick)
        verdict = verdict or verdict_of_trials(self.trials, self.objective, self.study.space)
        return (verdict.choice, self.gains(verdict)) if verdict else (self.study.space.default, ())

    @property
    def noise_free(self) -> bool:
        return isinstance(self.evaluate, NoiseFree)

    @property
    def by_front(self) -> bool:
        """The choice is a point of the front as it is: values have no noise, or no one objective decides."""
        return self.noise_free or (self.options.pick == KNEE and len(self.study.objectives) > 1)

    # -- exploring

    def explore(self) -> None:
        """Until the time, the evaluations or the space is spent, or the search gives up; always the default."""
        self.show("search", None)
        self.look_again()
        while not (self.trials and (self.out_of_time() or self.gave_up())):
            before = self.clock()
            # The default goes alone: what it tells of limits and of the reference serves all others.
            suggested = self.study.suggest(self.batch() if self.trials else 1, self.first())
            self.spend("strategy", self.clock() - before)
            if not suggested:
                return
            for configuration, evaluation in self.guard.evaluations(suggested):
                self.keep(configuration, evaluation)

    def look_again(self) -> None:
        """Evaluate again what failed in an earlier build and may have been the machine's fault: the default, what
        failed as it did if it fails so no more, and what failed with a machine's words."""
        if not isinstance(self.evaluate, SetsUpAgain):
            return
        due, default = doubtful_trials(self.trials), self.study.space.default
        failed = [t for t in self.trials if t.configuration == default and may_be_the_machines(t.outcome)]
        for trial in failed:
            before = alike(trial, self.trials)
            self.keep(default, self.guard.evaluation(default), replace=True)
            if not alike(trial, self.trials[trial.number : trial.number + 1]):
                due += before
        for configuration in dict.fromkeys(t.configuration for t in due if t not in failed):
            if self.out_of_time():
                return
            self.keep(configuration, self.guard.evaluation(configuration), replace=True)

    def batch(self) -> int:
        """How many suggestions to ask for: an evaluation that costs nothing is faster than a strategy thinks."""
        many = self.evaluate.worthwhile(len(self.trials)) if isinstance(self.evaluate, NoiseFree) else 1
        return max(self.jobs, many)

    def first(self) -> list[Configuration]:
        """What comes before the strategy's suggestions."""
        if self.by_front or len(self.study.objectives) > 1:
            return []
        return self.simpler() or due_openings(self.openings, self.trials, self.objective, self.study.space)

    def simpler(self) -> list[Configuration]:
        """Late in the search, the best trial with less of what the default does not have."""
        if self.best is None or not self.late():
            return []
        return simpler(self.best, self.trials, self.objective, self.study.space)

    def late(self) -> bool:
        most, budget = self.options.max_evals, self.options.budget_s
        return (most is not None and self.study.spent >= LATE * most) or (
            budget is not None and self.elapsed() >= LATE * (budget - self.reserve_s())
        )

    def keep(self, configuration: Configuration, evaluation: Evaluation, *, replace: bool = False) -> None:
        """In the store, before anything else; in the place of an earlier trial if that is to be replaced."""
        fair = self.trial_of_same_code(evaluation) or at_first_speed(evaluation, self.trials)
        trial = patiently(
            lambda: self.study.observe(
                configuration,
                fair.outcome,
                seconds=fair.seconds,
                log=fair.log,
                calibration=fair.calibration,
                same_as=fair.same_as,
                code=fair.code,
                replace=replace,
            )
        )
        for stage, seconds in evaluation.seconds.items():
            self.spend(stage, seconds)
        self.evaluations += trial.same_as is None
        if replace:
            self.trials[trial.number] = trial
        else:
            self.trials.append(trial)
        if trial.measured and trial.same_as is None:
            self.best = self.best_trial()
        self.show("search", trial)

    def trial_of_same_code(self, evaluation: Evaluation) -> Evaluation | None:
        """The evaluation with the outcome that the trial of the same code has, at the speed that one was given."""
        same = next((t for t in self.trials if t.configuration == evaluation.same_as), None)
        return None if same is None else with_fields(evaluation, outcome=same.outcome, calibration=same.calibration)

    def best_trial(self) -> Trial | None:
        return min(comparable(self.trials), key=self.loss, default=None)

    def out_of_time(self) -> bool:
        """Of the next trial, half may last into what is kept for the finalists."""
        budget = self.options.budget_s
        usual_s = median([sum(t.seconds.values()) for t in self.trials] or [0.0])
        return budget is not None and self.elapsed() + usual_s / 2 >= budget - self.reserve_s()

    def reserve_s(self) -> float:
        """What measuring the finalists again will take, within its share of the budget."""
        if not isinstance(self.evaluate, ComparesAgain):
            return 0.0
        default = self.study.space.default
        again = self.again_s([default, *self.finalists()], RESERVED_ROUNDS)
        return min(FINALISTS_SHARE * (self.options.budget_s or 0.0), again)

    def again_s(self, configurations: list[Configuration], rounds: int) -> float:
        """What building the default and finalists again takes, and rounds until the best has made so many, as their
        trials took."""
        wanted = [t for t in self.trials if t.configuration in configurations]
        taken = [(t if t.same_as is None else self.trials[t.same_as]).seconds for t in wanted]
        each = [self.round_s(seconds.get("measure", 0.0)) for seconds in taken]
        mean_s = sum(each) / max(1, len(each))
        return sum(t.get("compile", 0.0) for t in taken) + measurements(len(configurations) - 1, rounds) * mean_s

    def round_s(self, trial_s: float) -> float:
        return self.evaluate.round_s(trial_s) if isinstance(self.evaluate, TimesRounds) else ROUND_SHARE * trial_s

    def search_left_s(self) -> float:
        """What a trial may still take. The default is measured in any case, and so are finalists."""
        budget = self.options.budget_s
        if budget is None or not self.trials or not self.exploring:
            return math.inf
        return max(0.0, budget - self.reserve_s() - self.elapsed())

    def gave_up(self) -> bool:
        unfit = self.noise_free and any(isinstance(t.outcome, Infeasible) for t in self.trials)
        return len(self.trials) >= GIVE_UP_AFTER and self.best is None and not unfit

    # -- comparing the finalists

    def compare_finalists(self) -> Verdict | None:
        """The finalists' verdict; None when they cannot be measured again, or there is nothing to compare."""
        default = self.study.space.default
        candidates = self.clean_finalists()
        known = any(t.configuration == default and t.measured for t in self.trials)
        if self.by_front or not (candidates and known and isinstance(self.evaluate, ComparesAgain)):
            return None
        self.show("finalists", None)
        candidates, seconds = self.affordable(candidates), self.left_s()
        if seconds is not None:
            seconds = max(0.0, seconds - self.last_build_s(candidates))
        else:
            seconds = max(LEAST_FINALISTS_S, FINALISTS_SHARE * self.elapsed())
        watch = Rounds(self.objective, seconds, self.clock)
        default_values, *values = self.guard.compared(
            partial(self.evaluate.compare_again, [default, *candidates], MOST_ROUNDS, seconds, watch)
        )
        self.spend("rerank", self.clock() - watch.started)
        if not default_values:
            return self.undecided()
        if self.disqualified([c for c, compared in zip(candidates, values) if not compared]) == len(candidates):
            return self.compare_finalists()
        self.comparison = compared = comparison_of(self.objective.name, default_values, candidates, values)
        patiently(lambda: self.study.keep_comparison(compared))
        return verdict_of_rounds(self.comparison, self.objective, self.study.space)

    def undecided(self) -> Verdict:
        """The default, as its trial measured it: it failed now, and single trials are no reason for another choice."""
        default = self.study.space.default
        value = next(
            v for t in self.trials if t.configuration == default and (v := value_of(t, self.objective)) is not None
        )
        self.warnings.append(
            "the default failed while the finalists were compared with it, so it was kept: build again"
        )
        return Verdict(choice=default, default_value=value, chosen_value=value, gain=1.0, interval=None)

    def finalists(self) -> list[Configuration]:
        return finalists(self.trials, self.objective, self.study.space)

    def clean_finalists(self) -> list[Configuration]:
        """The finalists in whom nothing is found on a longer look, nor by the sanitizers if they are asked for.
        A finding makes the trial a failed one, and the next best takes its place."""
        evaluate, default = self.evaluate, self.study.space.default
        looks: dict[str, Callable[[Configuration], Failed | None]] = {}
        if isinstance(evaluate, LooksAgain):
            looks["a longer look"] = evaluate.look_again
        if self.options.sanitize and isinstance(evaluate, Sanitizes):
            looks["the sanitizers"] = evaluate.sanitize
        elif self.options.sanitize:
            self.warnings.append("the sanitizers need a kernel with a generated harness: nothing was sanitized")
        if not looks or not any(t.measured for t in self.trials):
            return self.finalists()
        for who, look in looks.items():
            finding = look(default)
            if finding is not None:
                self.warnings.append(f"{who} finds fault with the default: {finding.log}")
        clean = self.looked_through(list(looks.values()))
        return [c for c in self.finalists() if c in clean]

    def looked_through(self, looks: Sequence[Callable[[Configuration], Failed | None]]) -> set[Configuration]:
        """The finalists in whom no look finds anything: the best, and as many as there is time for."""
        clean: set[Configuration] = set()
        while unknown := [c for c in self.finalists() if c not in clean]:
            if clean and len(self.affordable([*clean, unknown[0]])) <= len(clean):
                break
            before = self.clock()
            finding = next((found for look in looks if (found := look(unknown[0])) is not None), None)
            self.spend("sanitize", self.clock() - before)
            if finding is None:
                clean.add(unknown[0])
            else:
                self.disqualify(unknown[0], finding)
        return clean

    def disqualified(self, configurations: Sequence[Configuration]) -> int:
        """How many of those that could not be compared are wrong; their trials fail."""
        look = self.evaluate.look_again if isinstance(self.evaluate, LooksAgain) else None
        findings = {c: look(c) for c in configurations} if look else {}
        for configuration, finding in findings.items():
            if finding is not None:
                self.disqualify(configuration, finding)
        return sum(finding is not None for finding in findings.values())

    def disqualify(self, configuration: Configuration, finding: Failed) -> None:
        """The trial fails, and with it those that took its outcome."""
        number = next(t.number for t in self.trials if t.configuration == configuration)
        for trial in self.trials:
            if number in (trial.number, trial.same_as):
                self.study.observe(
                    trial.configuration,
                    finding,
                    seconds=trial.seconds,
                    log=finding.log,
                    same_as=None if trial.same_as is None else self.trials[trial.same_as].configuration,
                    code=trial.code,
                    replace=True,
                )
        self.trials = self.study.trials
        self.best = self.best_trial()

    def affordable(self, candidates: list[Configuration]) -> list[Configuration]:
        """The finalists that the time left allows: rather few of them than few rounds, but one in any case."""
        left, default = self.left_s(), self.study.space.default
        if left is None:
            return candidates
        enough = [
            k for k in range(1, len(candidates) + 1) if self.again_s([default, *candidates[:k]], FEW_ROUNDS) <= left
        ]
        return candidates[: max(enough, default=1)]

    def patience_s(self) -> float:
        """How long a measurement may still wait for a core: at the end of the time too, for as long as others take."""
        left = self.left_s()
        return MOST_S if left is None else max(left, LEAST_PATIENCE_S)

    def left_s(self) -> float | None:
        return None if self.options.budget_s is None else max(0.0, self.options.budget_s - self.elapsed())

    def last_build_s(self, candidates: Sequence[Configuration]) -> float:
        """What building the winner once more takes, when everything is decided."""
        return max((t.seconds.get("compile", 0.0) for t in self.trials if t.configuration in candidates), default=0.0)

    def gains(self, verdict: Verdict) -> tuple[Gain, ...]:
        """The picked objective as the finalists tell it, the others as their trials do."""
        trial_of = {t.configuration: t for t in self.trials}
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

    # -- telling

    def show(self, phase: Phase, latest: Trial | None, note: str = "") -> None:
        first = self.trials[0] if self.trials else None
        self.watch(
            Progress(
                phase=phase,
                objective=self.objective,
                evaluations=sum(t.same_as is None for t in self.trials),
                max_evals=self.options.max_evals,
                elapsed_s=self.elapsed(),
                budget_s=self.options.budget_s,
                default=value_of(first, self.objective) if first else None,
                best=self.best,
                latest=latest,
                failures=failures_of(self.trials),
                start=self.study.space.default,
                trust=self.study.trust,
                note=note,
            )
        )

    def spend(self, stage: str, seconds: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def elapsed(self) -> float:
        return self.clock() - self.start

    def loss(self, trial: Trial) -> float:
        value = value_of(trial, self.objective)
        assert value is not None
        return self.objective.loss(value)
