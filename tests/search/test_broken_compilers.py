"""Compilers that fail for the machine's reasons, as real processes: no candidate is blamed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.evaluators.kernels import window_task
from tunepass.diagnostics import EnvironmentFault
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.process.workspace import PREFIX
from tunepass.executors.local import LocalExecutor
from tunepass.search.faults import FaultGuard
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

GOOD, BROKEN = Configuration({"SHAPE": 0}), Configuration({"SHAPE": 10})
FULL = "echo 'fatal error: error writing to /tmp/x.s: No space left on device' >&2; exit 1"
COMPILER = """\
#!/bin/sh
case " $* " in *" --version "*|*" -v "*) exec gcc "$@";; esac
cd {folder}
case "$*" in *-DSHAPE*) echo . >> calls;; *) touch calls;; esac
calls=$(wc -l < calls)
{fault}
cd - > /dev/null
exec gcc "$@"
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("tunepass.search.faults.PAUSES_S", (0.01, 0.01))
    return tmp_path


def compiler(folder: Path, fault: str) -> str:
    """One that does `fault`, in which $calls counts the candidates so far, before it compiles."""
    path = folder / "fault-cc"
    path.write_text(COMPILER.format(folder=folder, fault=fault))
    path.chmod(0o755)
    return str(path)


def judged(folder: Path, fault: str, *configurations: Configuration, jobs: int = 1) -> list[object]:
    with CompileRun(window_task(folder, compiler(folder, fault))) as evaluator:
        guard = FaultGuard(evaluator, LocalExecutor(jobs))
        return [type(evaluation.outcome) for _, evaluation in guard.evaluations(configurations)]


@pytest.mark.parametrize(
    "fault",
    [
        f"[ $calls != 2 ] || [ -e failed ] || {{ touch failed; {FULL}; }}",
        "[ $calls != 1 ] || [ -e failed ] || { touch failed; kill -9 $$; }",
        f"[ $calls != 2 ] || [ -e failed ] || {{ touch failed; rm -rf {PREFIX}*; }}",
    ],
    ids=["full", "killed", "folder"],
)
@pytest.mark.slow_but(3)
def test_a_fault_now_and_then_costs_no_candidate_its_trial(fault: str, temporary: Path) -> None:
    others = [GOOD, Configuration({"SHAPE": 0, "OTHER": 1}), BROKEN]
    assert judged(temporary, fault, *others) == [Measured, Measured, Failed]
    assert not list(temporary.glob(f"{PREFIX}*"))


@pytest.mark.slow
def test_nor_where_candidates_are_compiled_side_by_side(temporary: Path) -> None:
    others = [Configuration({"SHAPE": 0, "OTHER": i}) for i in range(3)]
    fault = f"[ $calls != 2 ] || [ -e failed ] || {{ touch failed; {FULL}; }}"
    assert judged(temporary, fault, *others, BROKEN, jobs=2) == [Measured, Measured, Measured, Failed]


@pytest.mark.parametrize(
    "fault,words",
    [
        ("[ $calls -lt 2 ] || rm -f fault-cc", "fault-cc"),
        ("[ $calls -lt 2 ] || { echo 'unknown: I am unwell' >&2; exit 1; }", "I am unwell"),
    ],
    ids=["vanished", "unknown"],
)
@pytest.mark.slow_but(2)
def test_a_fault_that_stays_ends_the_search(fault: str, words: str, temporary: Path) -> None:
    with pytest.raises(EnvironmentFault, match=words):
        judged(temporary, fault, GOOD, Configuration({"SHAPE": 3}), GOOD)
