"""Programs of a round that are timed together: all alive, and each with the core for a slice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from tunepass.evaluators.harness.dialogue.sampling import Questions
from tunepass.evaluators.harness.dialogue.witness import Witness
from tunepass.evaluators.harness.harness import HarnessRun, Shapes
from tunepass.evaluators.measure.timing import MeasurePlan, Sample
from tunepass.evaluators.measure.turns import Party, Turns, in_same_turns
from tunepass.evaluators.process.run import Limits, ProgramGroup
from tunepass.study.outcome import Failed

SLICE_S = 0.01  # the shortest that differences between turns of others' work are seen in
SLICES = (2, 8)
MOST_SAMPLES = 40  # in a slice
Timed = tuple[list[list[Sample]], Witness]


@dataclass(frozen=True, slots=True)
class Slices:
    """How many there are, and how many samples at most in each."""

    count: int
    samples: int

    @classmethod
    def of(cls, call_s: float, budget_s: float) -> Slices:
        """For calls that take so long, of a program in a round: several in any case."""
        slice_s = max(SLICE_S, call_s)
        count = min(max(int(budget_s / slice_s) // 2 * 2, SLICES[0]), SLICES[1])
        return cls(count, min(max(round(SLICE_S / max(call_s, 1e-9)), 1), MOST_SAMPLES))

    def plan(self, plan: MeasurePlan) -> MeasurePlan:
        return replace(plan, budget_s=SLICE_S, least=min(3, self.samples), most=self.samples)


def time_together(
    runs: Sequence[HarnessRun],
    questions: Sequence[Questions],
    plan: MeasurePlan,
    slices: Slices,
    limits: Limits,
    shapes: Shapes,
) -> list[float | Failed | None]:
    """Seconds a call of each, comparable with one another; None where the samples are in doubt, as all are where one
    of the programs has worked while others were measured."""
    turns, sampling = Turns(len(runs), slices.count + 2), slices.plan(plan).sampling()
    patience_s, longer = limits.wall_s, replace(limits, wall_s=limits.wall_s * (1 + len(runs)))

    def timed(run: HarnessRun, ask: Questions, party: Party) -> Timed | Failed:
        try:
            return run.time_in_turns(ask.seed, sampling, longer, ask, shapes, party, slices.count, patience_s)
        finally:
            party.leave()

    pool, group = ThreadPoolExecutor(len(runs), thread_name_prefix="together"), ProgramGroup()
    try:
        parties = [Party(turns, number) for number in range(len(runs))]
        tasks = [partial(timed, *each) for each in zip(runs, questions, parties, strict=True)]
        futures = [pool.submit(group.run, task) for task in tasks]
        wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future.done():
                future.result()  # raises what was raised, without waiting for the others
        return _values([future.result() for future in futures])
    except BaseException:
        turns.stop()
        group.stop()
        raise
    finally:
        pool.shutdown()


def _values(results: Sequence[Timed | Failed]) -> list[float | Failed | None]:
    timed = {i: each for i, each in enumerate(results) if not isinstance(each, Failed)}
    if any(witness.restless for _, witness in timed.values()):
        return [each if isinstance(each, Failed) else None for each in results]
    seconds = dict(zip(timed, in_same_turns([_corrected(*each) for each in timed.values()]))) if timed else {}
    return [each if isinstance(each, Failed) else _undoubted(each, seconds[i]) for i, each in enumerate(results)]


def _corrected(slices: Sequence[Sequence[Sample]], witness: Witness) -> list[list[Sample]]:
    corrected = iter(witness.corrected([sample for each in slices for sample in each]))
    return [list(islice(corrected, len(each))) for each in slices]


def _undoubted(timed: Timed, seconds: float) -> float | None:
    slices, witness = timed
    return None if witness.doubts([sample for each in slices for sample in each]) else seconds
