"""Recorded tables and prior means of them: what the panel of prior means chose its rule on, and what it reports on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.benchmarks.bench_hls import ENTRIES as HLS
from tests.benchmarks.gpu import recorded as gpu
from tests.benchmarks.hls import searches as hls
from tests.benchmarks.search.problems import Floats, Problem, problem
from tunepass.jobs.transfer import table_source
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.outcome import Measured

GPU = {entry.table: entry for entry in gpu.ENTRIES}
DESIGNS = {entry.table: entry for entry in HLS}
PRIOR_KEY = 77  # keeps the random stream of the prior means apart from the searches'
Change = Callable[[Floats, np.random.Generator], Floats]  # of values in increasing order


@dataclass(frozen=True, slots=True)
class Case:
    """`kind`: `model`, `source` (the values of `origin`, another table) or a name of CHANGES."""

    table: str
    kind: str
    origin: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind} {self.origin}".strip()


def _top(values: Floats) -> int:
    return max(2, len(values) // 10)


def _shuffled_top(values: Floats, rng: np.random.Generator) -> Floats:
    return np.concatenate([rng.permutation(values[: _top(values)]), values[_top(values) :]])


def _inverted_top(values: Floats, rng: np.random.Generator) -> Floats:
    return np.concatenate([values[: _top(values)][::-1], values[_top(values) :]])


def _top_in_the_middle(values: Floats, rng: np.random.Generator) -> Floats:
    top, middle, changed = slice(0, _top(values)), len(values) // 2, values.copy()
    exchanged = slice(middle, middle + _top(values))
    changed[top], changed[exchanged] = values[exchanged], values[top]
    return changed


def _right_at_the_top(values: Floats, rng: np.random.Generator) -> Floats:
    return np.concatenate([values[: _top(values)], rng.permutation(values[_top(values) :])])


def _noisy(values: Floats, rng: np.random.Generator) -> Floats:
    logs = np.log(values)
    return np.asarray(np.exp(logs + rng.normal(0, logs.std(), len(values))))


WRONG: dict[str, Change] = {
    "shuffled": lambda values, rng: rng.permutation(values),
    "inverted": lambda values, rng: values[::-1],
    "best tenth shuffled": _shuffled_top,
    "best tenth inverted": _inverted_top,
    "best tenth exchanged": _top_in_the_middle,
}
CHANGES: dict[str, Change] = {
    **WRONG,
    "right in the best tenth": _right_at_the_top,
    "noisy": _noisy,
    "offset": lambda values, rng: values + np.median(values),
}

CHOSEN = (
    Case("kernel_tuner/convolution-MI250X", "source", "kernel_tuner/convolution-A4000"),
    Case("kernel_tuner/convolution-MI250X", "noisy"),
    Case("kernel_tuner/convolution-A4000", "source", "kernel_tuner/convolution-MI250X"),
    Case("kernel_tuner/convolution-A4000", "best tenth exchanged"),
    Case("kernel_tuner/gemm-Titan", "noisy"),
    Case("kernel_tuner/gemm-Titan", "shuffled"),
    Case("kernel_tuner/gemm-Titan", "inverted"),
    Case("kernel_tuner/gemm-Titan", "best tenth inverted"),
    Case("kernel_tuner/conv_bat-2080Ti", "noisy"),
    Case("kernel_tuner/conv_bat-2080Ti", "best tenth inverted"),
    Case("spector/mm", "best tenth exchanged"),
    Case("spector/mm", "noisy"),
    Case("baco_cot/rise_kmeans", "shuffled"),
    Case("baco_cot/rise_kmeans", "noisy"),
    Case("kernel_tuner/dedispersion-MI250X", "inverted"),
)
REPORTED = (
    Case("ktt/coulomb3d-2080Ti", "model"),
    Case("ktt/coulomb3d-2080Ti", "best tenth exchanged"),
    Case("spector/fir", "model"),
    Case("spector/fir", "inverted"),
    Case("spector/fir", "best tenth exchanged"),
    Case("spector/hist", "model"),
    Case("spector/hist", "best tenth shuffled"),
    Case("spector/hist", "best tenth inverted"),
    Case("hlsyn/fdtd-2d-v18", "model"),
    Case("spector/nw", "shuffled"),
    Case("spector/bfs_sparse", "source", "spector/bfs_dense"),
    Case("spector/bfs_sparse", "best tenth inverted"),
    Case("spector/spmv_500000", "model"),
    Case("spector/spmv_500000", "source", "spector/spmv_5000"),
    Case("hlsyn/2mm-v18", "model"),
    Case("hlsyn/2mm-v18", "shuffled"),
    Case("hlsyn/atax-v18", "model"),
    Case("hlsyn/atax-v18", "source", "hlsyn/atax-v20"),
    Case("hlsyn/bicg-v18", "source", "hlsyn/bicg-v20"),
    Case("hlsyn/bicg-v18", "best tenth exchanged"),
    Case("hlsyn/gesummv-v18", "model"),
    Case("hlsyn/gesummv-v18", "best tenth inverted"),
    Case("hlsyn/symm-opt-v20", "noisy"),
    Case("hlsyn/symm-opt-v20", "inverted"),
    Case("configurable_systems/dune_mgs", "best tenth shuffled"),
    Case("configurable_systems/dune_mgs", "right in the best tenth"),
    Case("configurable_systems/llvm_opt", "best tenth exchanged"),
    Case("configurable_systems/llvm_opt", "offset"),
    Case("kernel_tuner/pnpoly-3090", "model"),
    Case("kernel_tuner/pnpoly-3090", "source", "kernel_tuner/pnpoly-Titan"),
    Case("kernel_tuner/pnpoly-3090", "shuffled"),
    Case("catbench/mttkrp_7742", "source", "catbench/mttkrp_6242"),
    Case("catbench/mttkrp_7742", "inverted"),
)


@lru_cache(maxsize=4)
def subject(data: Path, table: str, models: Path) -> Problem:
    return hls.searched(DESIGNS[table], data) if table in DESIGNS else problem(data, table, models)


@lru_cache(maxsize=64)
def prior_mean(data: Path, case: Case, seed: int, models: Path) -> PriorMean:
    if case.kind == "model":
        known = case.table in GPU
        return PriorMean.from_expression(
            gpu.model(GPU[case.table], data).time if known else hls.model(DESIGNS[case.table], data)
        )
    if case.kind == "source":
        return table_source(data / f"{case.origin}.json").prior
    searched = subject(data, case.table, models)
    rows = [dict(c) for c in searched.space.enumerate()]
    outcomes = [searched.outcome(c) for c in searched.space.enumerate()]
    measured = [(row, o.values[searched.objective.name]) for row, o in zip(rows, outcomes) if isinstance(o, Measured)]
    values = np.array([value for _, value in measured])
    order = np.argsort(values, kind="stable")
    changed = np.empty_like(values)
    changed[order] = CHANGES[case.kind](values[order], np.random.default_rng([seed, PRIOR_KEY]))
    return PriorMean.from_observations([row for row, _ in measured], changed.tolist())
