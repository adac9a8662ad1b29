"""Kernels that are right with a few threads alone, or unless an update is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.source import Attack
from tests.evaluators.test_wrong_kernels import WRONG, task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.verification.races import PAUSED, SCHEDULES, ThreadSchedule
from tunepass.evaluators.harness_look import HarnessLook
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check

SOURCES = {path.stem: path for path in WRONG}


def test_schedules_have_fewer_and_more_threads_than_were_asked_for() -> None:
    assert max(schedule.threads for schedule in SCHEDULES) == 64
    nested = ThreadSchedule(4, levels=0)
    assert dict(nested.environment)["OMP_MAX_ACTIVE_LEVELS"] == "0" and "within a parallel region" in str(nested)
    assert dict(ThreadSchedule(4, most=3).environment)["OMP_THREAD_LIMIT"] == "3"
    assert "that pause where they meet" in str(PAUSED) and any(schedule.dynamic for schedule in SCHEDULES)


@pytest.mark.parametrize(
    "name,words",
    [("eight_threads", "with 16 threads"), ("whole_team", "with 4 threads"), ("lost_update", "that pause")],
)
@pytest.mark.slow_but(3)
def test_what_is_wrong_with_some_threads_is_found(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HarnessLook, "called_often", lambda *_: None)  # among many calls one may lose an update too
    attack = Attack.read(SOURCES[name])
    with CompileRun(task_of(tmp_path, attack.text, attack.compiler)) as evaluator:
        honest, wrong = (Configuration({"ATTACK": k, "AFTER": "-DAFTER=0"}) for k in (0, 1))
        assert evaluator.look_again(honest) is None
        found = evaluator.look_again(wrong)
        assert found is not None and found.stage == "wrong_result" and words in found.log
        rows: dict[str, Check] = {check.name: check for check in evaluator.checks(honest).checks}
        assert "pause" not in rows["schedules"].reason
