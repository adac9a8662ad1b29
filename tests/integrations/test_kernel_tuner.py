"""tunepass as a strategy of Kernel Tuner: against a stand-in of its interface, and in its simulation mode."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tunepass.diagnostics import StudyError
from tunepass.integrations import kernel_tuner as door
from tunepass.integrations.kernel_tuner import TunepassStrategy, objectives_of, outcome_of, plain, space_of
from tunepass.interchange.kernel_tuner_results import cache_text
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Ordinal
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial

VALUES: dict[str, list[Any]] = {"block": [32, 64, 128, 256], "tile": [1, 2, 4], "shared": [0, 1]}
RESTRICTIONS = ["block * tile <= 256", "shared == 0 or tile > 1"]
LEGAL = [
    (b, t, s) for b in VALUES["block"] for t in VALUES["tile"] for s in VALUES["shared"] if b * t <= 256 and s <= t - 1
]


def time_of(row: Sequence[int]) -> float:
    return abs(row[0] - 128) / 64 + abs(row[1] - 2) + 1 - row[2] / 2


class Stop(Exception):
    """Stands in for kernel_tuner.util.StopCriterionReached."""


class Cost:
    """Stands in for kernel_tuner.strategies.common.CostFunc: 32 x 4 does not compile."""

    def __init__(self, searchspace: Any, options: Any, runner: Any, *, scaling: bool, snap: bool):
        assert not scaling and not snap
        self.results: list[dict[str, Any]] = []
        self.most, self.legal = options.strategy_options.get("max_fevals", 10**9), set(searchspace.list)

    def __call__(self, row: tuple[int, ...]) -> float:
        assert row in self.legal and row not in [tuple(r[n] for n in VALUES) for r in self.results]
        if len(self.results) >= self.most:
            raise Stop
        result: dict[str, Any] = dict(zip(VALUES, row))
        if row[:2] == (32, 4):
            self.results.append({**result, "__error__": "CompilationFailedConfig"})
            return sys.float_info.max
        self.results.append({**result, "time": time_of(row), "times": [time_of(row)] * 3})
        return time_of(row)


@pytest.fixture
def interface(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, members in (
        ("kernel_tuner", {}),
        ("kernel_tuner.strategies", {}),
        ("kernel_tuner.strategies.common", {"CostFunc": Cost}),
        ("kernel_tuner.util", {"StopCriterionReached": Stop}),
    ):
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


def searchspace(restrictions: object = RESTRICTIONS) -> SimpleNamespace:
    return SimpleNamespace(tune_params=VALUES, list=LEGAL, original_restrictions=restrictions)


def options(**strategy: object) -> SimpleNamespace:
    return SimpleNamespace(objective=["time"], strategy_options=strategy)


def test_the_budget_ends_the_search_and_a_seed_repeats_it(interface: None) -> None:
    first, second = (TunepassStrategy("random", seed=3).tune(searchspace(), None, options(max_fevals=9)) for _ in "ab")
    assert len(first) == 9 and first == second


@pytest.mark.usefixtures("interface")
def test_an_exhausted_space_ends_the_search() -> None:
    results = TunepassStrategy().tune(searchspace(), None, options())
    assert len(results) == len(LEGAL) and any("__error__" in r for r in results)
    assert min(r["time"] for r in results if "time" in r) == min(map(time_of, LEGAL))


def test_restrictions_that_say_exactly_what_is_legal_are_the_space() -> None:
    parameters = [Ordinal(n, v) if n != "shared" else Categorical(n, v) for n, v in VALUES.items()]
    legal = [Configuration(dict(zip(VALUES, row))) for row in LEGAL]
    assert not space_of(searchspace(), parameters, legal).is_table
    for other in ([lambda p: True], ["block * tile <= 512"], ["import os"], None):
        assert space_of(searchspace(other), parameters, legal).is_table


def test_outcomes_state_what_failed_and_how_sure_a_time_is() -> None:
    time = (Objective("time"),)
    assert outcome_of(2.0, {"times": [1.0, 3.0]}, time) == Measured({"time": 2.0}, deviation={"time": 1.0})
    assert outcome_of(sys.float_info.max, {"__error__": "CompilationFailedConfig"}, time) == Failed(
        "compile", "CompilationFailedConfig"
    )
    assert outcome_of(1.0, {"__error__": "RuntimeFailedConfig"}, time) == Failed("run", "RuntimeFailedConfig")
    assert outcome_of(1.0, {"__error__": "InvalidConfig"}, time) == Infeasible("restrictions")
    assert outcome_of(float("nan"), {}, time) == Failed("metric", "a cost is [nan]")
    two = objectives_of(["time", "GFLOP/s"])
    assert [o.name for o in two] == ["time", "GFLOP_s"]
    assert outcome_of([1.0, -5.0], {}, two) == Measured({"time": 1.0, "GFLOP_s": -5.0})


def test_values_of_numpy_and_of_other_kinds() -> None:
    class Scalar:
        def item(self) -> int:
            return 7

    assert plain(Scalar()) == 7 and plain([1, 2]) == "[1, 2]" and plain(True) is True


def test_a_space_too_large_to_list_is_refused(interface: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_LISTED", 10)
    with pytest.raises(StudyError, match="legal configurations, 10 at most"):
        TunepassStrategy().tune(searchspace(), None, options())


REAL = pytest.mark.skipif(importlib.util.find_spec("kernel_tuner") is None, reason="needs the extra kernel-tuner")


def simulated(
    cache: Path, strategy: object, restrictions: object, **strategy_options: object
) -> list[Mapping[str, Any]]:
    import kernel_tuner
    import numpy as np

    results, _ = kernel_tuner.tune_kernel(
        "k", "__global__ void k(float *x) {}", 1, [np.zeros(1, np.float32)], VALUES, restrictions=restrictions,
        strategy=strategy, strategy_options=strategy_options, cache=str(cache), simulation_mode=True, quiet=True,
        lang="CUDA", block_size_names=["block"],
    )  # fmt: skip
    return list(results)


@REAL
def test_simulation_mode_of_kernel_tuner_reads_our_cache_file_and_runs_our_strategy(tmp_path: Path) -> None:
    outcomes = [Failed("compile", "") if row[:2] == (32, 4) else Measured({"time": time_of(row)}) for row in LEGAL]
    trials = [Trial(i, Configuration(dict(zip(VALUES, row))), o) for i, (row, o) in enumerate(zip(LEGAL, outcomes))]
    cache = tmp_path / "cache.json"
    cache.write_text(cache_text("k", "host", Objective("time", unit="ms"), trials))
    assert set(json.loads(cache.read_text())["cache"]) == {",".join(map(str, row)) for row in LEGAL}
    results = simulated(cache, TunepassStrategy(seed=1), RESTRICTIONS, max_fevals=12)
    assert len(results) == 12 and len({tuple(r[n] for n in VALUES) for r in results}) == 12
    everything = simulated(cache, TunepassStrategy("random"), RESTRICTIONS)
    assert len(everything) == len(LEGAL)
