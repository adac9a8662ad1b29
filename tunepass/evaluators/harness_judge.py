"""How a linked candidate is judged in its generated harness: what it computes, how long it takes, what it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tunepass.evaluators.harness.compare import Output, compare
from tunepass.evaluators.harness.counting import count_instructions
from tunepass.evaluators.harness.dialogue.dialogues import Timed
from tunepass.evaluators.harness.dialogue.report import shapes
from tunepass.evaluators.harness.dialogue.sampling import Questions
from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference.case_runs import run_apart
from tunepass.evaluators.harness.reference.cases import (
    CONTENTS,
    Case,
    advice,
    of_candidate,
    with_other_contents,
    with_special_values,
    with_unusual_scalars,
)
from tunepass.evaluators.harness.reference.determinism import without_unwritten
from tunepass.evaluators.harness.reference.float_state import changed_state
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.timing import (
    MeasurePlan,
    Timing,
    disturbed,
    far_behind,
    processor_times,
)
from tunepass.evaluators.process.run import Limits
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed, Measured

MS = 1000.0
FINITE = "if these cannot occur, say `finite`"
NO_SCALARS = "no number of the pragma but those that decide lengths"
NO_OTHER_SIZES = "other scalars are tried at further sizes that the pragma leaves open, of which there are none"
NOTHING_FILLED = "no array is filled with numbers that differ"
TOO_LONG = "filled arrays are long, and the pragma leaves no shorter ones open"
NO_OTHERS = "`--waive contents` if there are no others"
DOUBTS = 8  # measurements in doubt that are made again: on a busy machine each may have lost a time slice


class HarnessJudge:
    """Judges candidates by a reference, which it asks for anew each time: it may have been run again, as `renew` does
    before a measurement is repeated whose clocks disagree: the machine may be slower at what is done beside calls."""

    def __init__(
        self,
        task: KernelTask,
        reference: Callable[[], Reference],
        random: Random,
        renew: Callable[[], None] = lambda: None,
    ):
        self.task = task
        self.incumbent: Timing | None = None
        self._reference = reference
        self._random = random
        self._renew = renew
        self._repeating_helps = True

    def call_s(self) -> float:
        """A call of the fastest candidate, or of the reference as long as there is none."""
        if self.incumbent:
            return self.incumbent.median_s
        reference = self._reference()
        return reference.seconds / len(reference.expected)

    def failed(self, run: HarnessRun, configuration: Configuration) -> Failed | None:
        reference, task = self._reference(), self.task
        sizes = task.sizes_for(configuration)
        cases = of_candidate(tuple(reference.expected), sizes, task.inputs.finite)
        known = [shapes(reference.expected[case].calls[0]) for case in cases]
        failures = run.check(cases, reference.alignment, reference.check_limits(task.run_limits), shapes=known)
        if isinstance(failures, Failed):
            return failures
        for case, checked in failures.items():
            wrong = reference.expected[case].mismatches(case.poison, checked.calls[0])
            if wrong:
                log = case.explained("\n".join(str(mismatch) for mismatch in wrong))
                return Failed("wrong_result", log + advice(case, task.inputs, [mismatch.name for mismatch in wrong]))
        return changed_state((state for checked in failures.values() for state in checked.left), reference.left)

    @property
    def has_special_cases(self) -> bool:
        """Special values that nobody asked for are tried on who may win."""
        return self.task.inputs.finite is None and any(case.extreme for case in self._reference().expected)

    def differs_with_special_values(self, run: HarnessRun, configuration: Configuration) -> str | None:
        """A warning of results that differ from the source's where special values come in."""
        reference, task = self._reference(), self.task
        sizes = task.sizes_for(configuration)
        cases = with_special_values(tuple(reference.expected), sizes, task.unusual_scalars(configuration))
        differing = self._differing(run, cases, reference.check_limits(task.run_limits))
        if not differing:
            return None
        first = next(case.explained(words) for case, words in differing.items())
        return f"{_named(configuration)} computes something else than the source {first}; {FINITE}"

    def with_unusual_scalars(self, run: HarnessRun, configuration: Configuration) -> tuple[Check, str]:
        """The row of a check with scalars that callers may never give, and a warning where results differ."""
        reference, task = self._reference(), self.task
        if not task.inputs.unusual:
            return Check("scalars", "not requested", NO_SCALARS if task.inputs.extra else NO_OTHER_SIZES), ""
        unusual = task.unusual_scalars(configuration)
        if not unusual:
            return Check("scalars", "not requested", "the constraints exclude other values"), ""
        sizes = task.sizes_for(configuration)
        run_sizes = {case.size for case in (*reference.expected, *dict(reference.left_out)) if case.unusual}
        possible = run_sizes if sizes is None else run_sizes & set(sizes)
        tried = {size: each for size, each in unusual.items() if size in possible}
        cases = with_unusual_scalars(tuple(reference.expected), tried, task.inputs.finite)
        allowed, compared = {name for name, *_ in tried.values()}, {case.unusual for case in cases if not case.extreme}
        excluded = [each for each in unusual.values() if each[0] not in allowed]
        failing = [each for each in tried.values() if each[0] not in compared]
        reasons = {
            "the constraints exclude the size at which other values are tried: ": excluded,
            "the source itself fails where ": failing,
        }
        reason = "; ".join(words + _values_and_remedy(scalars)[0] for words, scalars in reasons.items() if scalars)
        remedy = _values_and_remedy([*excluded, *failing])[1]
        differing = self._differing(run, cases, reference.check_limits(task.run_limits))
        if not differing:
            return Check("scalars", "could not run", reason, remedy) if reason else Check("scalars"), ""
        first = next(iter(differing))
        values, remedy = _values_and_remedy(list(dict.fromkeys(tried[case.size] for case in differing)))
        reason = f"it computes something else than the source where {values}"
        words = reason.removeprefix("it ")
        return (
            Check("scalars", "could not run", reason, remedy),
            f"{_named(configuration)} {words}; {remedy}: {first.explained(differing[first])}",
        )

    def with_other_contents(self, run: HarnessRun, configuration: Configuration) -> tuple[Check, str]:
        """The same with other contents of arrays that the pragma fills."""
        reference, task = self._reference(), self.task
        if not task.inputs.refilled:
            return Check("contents", "not requested", NOTHING_FILLED), ""
        filled = ", ".join(f"`{name}`" for name in task.inputs.refilled)
        tried = with_other_contents(tuple(reference.expected), None)
        if not tried:
            failures = [why for case, why in reference.left_out if case.unusual == CONTENTS]
            reason = f"the source itself fails with others of {filled}: {failures[0]}" if failures else TOO_LONG
            return Check("contents", "could not run", reason, NO_OTHERS), ""
        cases = with_other_contents(tried, task.sizes_for(configuration))
        if not cases:
            reason = f"the constraints exclude the size at which others of {filled} are tried"
            return Check("contents", "could not run", reason, NO_OTHERS), ""
        differing = self._differing(run, cases, reference.check_limits(task.run_limits))
        if not differing:
            return Check("contents"), ""
        reason = f"it computes something else than the source with other contents of {filled}"
        first = next(iter(differing))
        words = f"{_named(configuration)} {reason.removeprefix('it ')}: {first.explained(differing[first])}"
        return Check("contents", "could not run", reason, NO_OTHERS), words

    def _differing(self, run: HarnessRun, cases: Sequence[Case], limits: Limits) -> dict[Case, str]:
        """The cases in which the source computes something else, and what is wrong."""
        reference = self._reference()
        runs = run_apart(run, cases, reference.alignment, limits)
        # After a time-out the cases behind it were not run: theirs is the same failure.
        failures = {id(runs.failed[case]): case for case in reversed(cases) if case in runs.failed}
        differing = {case: runs.failed[case].log for case in failures.values()}
        for case, checked in runs.checked.items():
            wrong = reference.expected[case].mismatches(case.poison, checked.calls[0])
            differing |= {case: str(wrong[0])} if wrong else {}
        return {case: differing[case] for case in cases if case in differing}

    def measured(self, run: HarnessRun, search_s: float | None = None) -> tuple[Measured | Failed, Timing | None]:
        """The outcome, in a search of so many seconds, and what it follows from if time was measured."""
        if self.task.metric == "instructions":
            return self._count(run), None
        timed = self._time(run, self.task.plan.within(search_s), self.incumbent)
        if isinstance(timed, Failed):
            return timed, None
        timing, censored = timed
        if not censored and (self.incumbent is None or timing.turns < self.incumbent.turns):
            self.incumbent = timing
        samples = tuple(s * MS for s in timing.samples)
        return Measured({self.task.objective: timing.median_s * MS}, samples, censored=censored), timing

    def _count(self, run: HarnessRun) -> Measured | Failed:
        reference, task = self._reference(), self.task
        variant, limits = next(iter(reference.variants)), reference.check_limits(task.run_limits)
        result = count_instructions(run, task.seeds[-1], variant, limits, reference.shapes)
        if isinstance(result, Failed):
            return result
        instructions, outputs = result
        return self._wrong_variant(variant, outputs) or Measured({task.objective: instructions}, (instructions,))

    def _wrong_variant(self, variant: int, outputs: Sequence[Output]) -> Failed | None:
        """The failure of outputs that differ from the reference's for these inputs, much like the last seed's."""
        reference = self._reference()
        expected = reference.variants[variant]
        written = [without_unwritten(want, have) for want, have in zip(expected, outputs, strict=True)]
        wrong = compare(expected, written, reference.timed)
        wrong = wrong and compare(expected, written, reference.tolerances_of(variant))
        return Failed("wrong_result", "while timed: " + "\n".join(str(m) for m in wrong)) if wrong else None

    def _time(
        self, run: HarnessRun, plan: MeasurePlan, incumbent: Timing | None = None
    ) -> tuple[Timing, bool] | Failed:
        """Time, repeat if the machine interfered or the samples are in doubt; was it cut short?

        Who is far behind the best is not measured a second time. Under a load that stays, another measurement is
        disturbed like the first: after one that did not help there are none until a measurement is undisturbed.
        Samples that are doubtful every time are a failure."""
        best: Timing | None = None
        doubts = 0
        for turn in range(1 + max(plan.retries if self._repeating_helps else 0, DOUBTS)):
            before = processor_times()
            timed = self._time_once(run, plan, incumbent)
            if isinstance(timed, Failed):
                return timed
            doubt, timing = timed.witness.doubts(timed.samples), timed.timing
            if doubt:
                doubts += 1
                if doubts > DOUBTS:
                    return Failed("cheated", doubt)
                continue
            if timed.cut:
                return best or timing, best is None
            if best is None or _disturbance(timing) < _disturbance(best):
                best = timing
            interfered = timing.unclear or disturbed(timed.samples, processor_times().stolen_share(before))
            if turn > doubts or not interfered:
                self._repeating_helps = not interfered
            behind = incumbent is not None and far_behind(timing, incumbent)
            if not interfered or behind or turn - doubts >= plan.retries:
                break
            if timing.unclear:
                self._renew()
        assert best is not None
        return best, False

    def _time_once(self, run: HarnessRun, plan: MeasurePlan, incumbent: Timing | None) -> Timed | Failed:
        reference, task = self._reference(), self.task
        limits = reference.time_limits(task.run_limits, plan)
        return run.time(task.seeds[-1], plan.sampling(incumbent), limits, self.questions(), reference.shapes)

    def questions(self) -> Questions:
        filling = self._reference().filling
        known = [variant for variant in self._reference().variants if variant != filling]
        overheads = self._reference().overheads
        return Questions(self._random, known, self._wrong_variant, filling, self.task.seeds[-1], overheads)

    def value(self, run: HarnessRun) -> float | Failed:
        """Value of one round."""
        if self.task.metric == "instructions":
            counted = self._count(run)
            return counted if isinstance(counted, Failed) else counted.values[self.task.objective]
        timed = self._time(run, self.task.plan.again)
        return timed if isinstance(timed, Failed) else timed[0].median_s * MS


def _values_and_remedy(scalars: Sequence[tuple[str, int | float, int | float]]) -> tuple[str, str]:
    """Values of `scalars` (a name, a value, the tuned one) in words, and what to write where none occurs."""
    values: dict[str, dict[str, None]] = {}
    for name, value, _ in scalars:
        values.setdefault(name, {})[str(value)] = None
    tuned = {name: number for name, _, number in scalars}
    words = " or ".join(f"`{name}` is {', '.join(each)}" for name, each in values.items())
    constraints = " and ".join(f"`constraint {name} == {number}`" for name, number in tuned.items())
    return words, f"write {constraints} if {'it never is' if len(tuned) == 1 else 'they never are'}"


def _named(configuration: Configuration) -> str:
    return ", ".join(f"{name}={value}" for name, value in configuration.items())


def _disturbance(timing: Timing) -> tuple[bool, float]:
    return timing.unclear, timing.disturbed / len(timing.samples)
