"""A run of a linked program: who is given another chance. What programs say is tested in test_conversation.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tunepass.evaluators.harness.dialogue.dialogues import Timed
from tunepass.evaluators.harness.dialogue.report import Report
from tunepass.evaluators.harness.dialogue.sampling import Questions
from tunepass.evaluators.harness.dialogue.witness import Witness
from tunepass.evaluators.harness.harness import PLACING, HarnessRun, Spoken, binding
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.study.outcome import Failed

ANSWER = Timed((), False, Witness(()))
FAILED = Failed("timeout", "the program did not end within 1 s")


class Scripted(HarnessRun):
    """Its runs end as told, one after the other."""

    endings: list[Completed]

    def _run(self, words: Sequence[str], limits: Limits, dialogue: object, shapes: object = None) -> Spoken:  # type: ignore[override,type-arg]
        done = self.endings.pop(0)
        return Spoken(ANSWER, done, Report(), None) if done.ok else Spoken(None, done, Report(), FAILED)


def timed(*endings: Completed) -> tuple[object, int]:
    """The result, and how many of the endings are left."""
    run = Scripted(Path("program"), Path())
    object.__setattr__(run, "endings", list(endings))
    ask = Questions(Random(1), range(6), lambda variant, outputs: None, filling=9, seed=2)
    return run.time(1, MeasurePlan().sampling(), Limits(wall_s=1), ask, ()), len(run.endings)


WHOLE = Completed(ended="exit", returncode=0, seconds=0.5, cpu_s=0.5)


@pytest.mark.parametrize(
    ("first", "result", "left"),
    [
        (Completed(ended="timeout", seconds=1.0, cpu_s=0.3), ANSWER, 0),
        (Completed(ended="timeout", seconds=1.0, cpu_s=0.9), FAILED, 1),
        (WHOLE, ANSWER, 1),
    ],
    ids=["has waited", "has worked", "was in time"],
)
def test_who_has_waited_when_time_is_up_tries_again(first: Completed, result: object, left: int) -> None:
    assert timed(first, WHOLE) == (result, left)


def test_threads_are_bound_unless_the_user_places_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PLACING:
        monkeypatch.delenv(name, raising=False)
    assert binding() == {"OMP_PROC_BIND": "true"}
    monkeypatch.setenv("OMP_PLACES", "threads")
    assert binding() == {}
