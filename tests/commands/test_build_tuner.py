"""`tunepass build --tuner`: a foreign tuner searches a kernel."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.interchange.hypermapper.test_foreign_tuner import RANDOM
from tunepass.cli import main

FFT = Path(__file__).parents[2] / "samples" / "spatial" / "FFT.scala"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    shutil.copy(FFT, tmp_path)
    monkeypatch.delenv("TUNEPASS_STORE", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(script: str, *words: str) -> tuple[int, str, str]:
        Path("tuner.py").write_text(script)
        command = f"{sys.executable} {tmp_path}/tuner.py"
        status = main(["build", "FFT.scala", "--device", "stratix-v", "--tuner", command, *words])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_the_kernel_is_searched_by_the_tuner(build) -> None:  # type: ignore[no-untyped-def]
    status, out, err = build(RANDOM, "--max-evals", "8", "--format", "json")
    answer = json.loads(out)
    assert status == 0, err
    assert answer["trials"] == 8 and Path("tunepass.lock").exists()


def test_a_tuner_that_ends_early_leaves_a_choice_and_a_wrong_one_its_trials(build) -> None:  # type: ignore[no-untyped-def]
    status, out, err = build("print('End of HyperMapper')", "--max-evals", "8", "--format", "json")
    assert status == 0 and json.loads(out)["trials"] == 1
    assert "the search ended before its budget: the tuner has ended its search" in err
    Path("tunepass.lock").unlink()
    status, out, err = build("print('Request 1\\nx')", "--max-evals", "8")
    assert status == 2 and "<tuner>:2:1: error: the header of a request" in err and "Traceback" not in err
    status, out, err = build(RANDOM, "--max-evals", "3", "--format", "json")  # goes on from the first run's trial
    assert status == 0 and json.loads(out)["evaluations"] == 2


def test_a_strategy_beside_a_tuner_is_refused(build) -> None:  # type: ignore[no-untyped-def]
    status, _, err = build(RANDOM, "--strategy", "random")
    assert status == 2 and "--tuner takes the place of --strategy" in err
