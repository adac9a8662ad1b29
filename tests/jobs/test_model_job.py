"""Jobs that a model prices: stopping, strategies, identities, and a pipeline of them."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tunepass.diagnostics import TunepassError
from tunepass.jobs.model_job import check_strategy, locked_model, prepare_model, stoppable
from tunepass.jobs.modelled import unrestricted
from tunepass.jobs.reading import load
from tunepass.passes.base import Pipeline
from tunepass.study.lock.lock import Lock

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"


def test_asking_once_stops_and_twice_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable(None) as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop() and stop.asked
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before
    with stoppable(1e-9) as stop:
        assert stop() and not stop.asked


def test_an_unknown_strategy_is_refused() -> None:
    check_strategy("branch_and_bound")
    with pytest.raises(TunepassError, match="did you mean 'exhaustive'"):
        check_strategy("exhaustiv")


def test_the_identity_changes_with_the_device_and_the_restrictions() -> None:
    kernel = load(SAMPLES / "FFT.scala")
    one, same, other = (prepare_model(kernel, Lock(), device=d) for d in ("stratix-v", "stratix-v", "ecp5"))
    assert one.identity == same.identity != other.identity
    raw = prepare_model(kernel, Lock(), device="stratix-v", restrict=False)
    assert raw.identity.flags == ("--no-restrictions",) and raw.identity.compiler == one.identity.compiler
    with pytest.raises(TunepassError, match="priced on a device"):
        locked_model(kernel, Lock())


@pytest.mark.parametrize("strategy,limit", [("branch_and_bound", None), ("random", 12)])
def test_a_pipeline_on_a_device(strategy: str, limit: int | None, tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "FFT.scala", tmp_path)
    result = Pipeline.default("stratix-v", strategy=strategy, max_evals=limit).run(load(tmp_path / "FFT.scala"))
    assert result.pareto and result.choice == result.pareto[0].configuration
    assert {p.name for p in result.kernel.parameters} == set(result.choice)
    again = {p.name: p.default for p in load_text(tmp_path, result.source)}
    assert all(again[name] == value for name, value in result.choice.items() if name in again)
    assert (result.found.certificate is not None) is (limit is None)


def test_a_search_asks_for_what_fits(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "BlackScholes.scala", tmp_path)
    kernel = unrestricted(load(tmp_path / "BlackScholes.scala"))  # of whose points one in 25 fits
    result = Pipeline.default("stratix-v", strategy="random", max_evals=60).run(kernel)
    assert len(result.found.trials) == 60
    assert all(trial.measured for trial in result.found.trials[1:])


def load_text(folder: Path, text: str):  # type: ignore[no-untyped-def]
    (folder / "tuned.scala").write_text(text)
    return [p for p in load(folder / "tuned.scala").parameters if not p.name.startswith("pipeline_")]
