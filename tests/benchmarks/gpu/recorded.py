"""Tables recorded on real GPUs beside what the model says of the same kernels, as our pragmas describe them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tunepass
from tests.benchmarks.search.problems import Problem, problem
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.model import priced
from tunepass.hwmodels.gpu.resources import stated_resources
from tunepass.hwmodels.gpu.time import ASSUMED, Assumed
from tunepass.ir.gpu import GpuKernel
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.outcome import Measured

SPACES = Path(__file__).with_name("spaces")
MISSING = {"use_shmem": 1}  # of tables that left a parameter out: what their kernel did
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Entry:
    """A table, the source that describes its kernel, and the device it was recorded on."""

    table: str
    source: str
    device: str

    @property
    def kernel(self) -> str:
        """The kernel's name, whatever the suite and the variant."""
        name = self.table.partition("/")[2].partition("-")[0]
        return {"conv_bat": "convolution", "gemm_ext": "gemm"}.get(name, name)


def _entries(suite: str, kernel: str, source: str, **devices: str) -> list[Entry]:
    return [Entry(f"{suite}/{kernel}-{name.lstrip('_')}", source, device) for name, device in devices.items()]


ENTRIES = (
    *_entries("kernel_tuner", "conv_bat", "conv_bat.cu", _2080Ti="2080-ti", Titan="titan-rtx"),
    *_entries("ktt", "convolution", "ktt_convolution.cu", _2080Ti="2080-ti"),
    *_entries("kernel_tuner", "convolution", "convolution.cu", A4000="a4000", A6000="a6000"),
    *_entries("kernel_tuner", "convolution", "convolution_hip.cu", MI250X="mi250x", MI50="mi50", W6600="w6600"),
    *_entries("kernel_tuner", "dedispersion", "dedispersion.cu", A4000="a4000", A6000="a6000", MI250X="mi250x",
              W6600="w6600"),
    *_entries("kernel_tuner", "gemm", "gemm.cl", _2080Ti="2080-ti", Titan="titan-rtx"),
    *_entries("kernel_tuner", "gemm_ext", "gemm_ext.cl", A100="a100"),
    *_entries("kernel_tuner", "pnpoly", "pnpoly.cu", _2080Ti="2080-ti", Titan="titan-rtx", _3060laptop="3060-laptop",
              _3090="3090"),
    *_entries("ktt", "pnpoly", "ktt_pnpoly.cu", _2080Ti="2080-ti", _3090="3090"),
    *_entries("ktt", "coulomb3d", "coulomb3d.cu", _2080Ti="2080-ti"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Priced:
    """What the model says of the table's parameters."""

    time: Expr
    fits: Expr


@dataclass(frozen=True, slots=True)
class Compared:
    """Of each row of a table: ms measured (NaN where it failed), ms estimated, and whether the model says it fits."""

    measured: Floats
    estimated: Floats
    fits: NDArray[np.bool_]

    @property
    def failed(self) -> NDArray[np.bool_]:
        return np.isnan(self.measured)


@lru_cache(maxsize=32)
def recorded(data: Path, table: str) -> RecordedSpace:
    return read(data / f"{table}.json")


@lru_cache(maxsize=16)
def body(source: str) -> GpuKernel:
    return tunepass.load(SPACES / source).body_as(GpuKernel)


def model(entry: Entry, data: Path, assumed: Assumed = ASSUMED) -> Priced:
    """Over the table's parameters, those that the table fixes at their value."""
    gpu, kernel = load(entry.device), body(entry.source)
    found = priced(kernel, gpu, stated_resources(kernel, gpu), assumed)
    stated = json.loads((data / f"{entry.table}.json").read_text(encoding="utf-8"))
    names = {p["name"] for p in stated["parameters"]}
    fixed = {**MISSING, **{k: v for k, v in stated["fixed"].items() if isinstance(v, (int, float))}}
    known = {name: alg.lift(value) for name, value in fixed.items() if name not in names}
    return Priced(alg.substitute(found.values["time"], known), alg.substitute(found.fits, known))


def compared(entry: Entry, data: Path, assumed: Assumed = ASSUMED) -> Compared:
    table, said = recorded(data, entry.table), model(entry, data, assumed)
    (objective,) = (o.name for o in table.objectives)
    rows = list(table.outcomes)
    columns = {p.name: p.column([row[p.name] for row in rows]) for p in table.space.parameters}
    time, fits = (
        np.broadcast_to(e.values, len(rows))
        for e in CompiledExpressions([said.time, said.fits]).evaluate(columns, len(rows))
    )
    measured = [o.values[objective] if isinstance(o, Measured) else np.nan for o in table.outcomes.values()]
    return Compared(np.array(measured), np.array(time, dtype=np.float64), np.array(fits, dtype=bool))


def searched(entry: Entry, data: Path) -> Problem:
    """The table as a problem for searches."""
    return problem(data, entry.table, data)  # none of these tables is answered by a fitted model


def moved(origin: Entry, target: Entry, data: Path) -> PriorMean:
    """What was measured on another GPU, times the target's estimate over the other's."""
    table = recorded(data, origin.table)
    there, here = compared(origin, data), compared(replace(origin, device=target.device, source=target.source), data)
    values = there.measured * here.estimated / there.estimated
    ran = ~there.failed
    rows = [dict(row) for row, kept in zip(table.outcomes, ran.tolist()) if kept]
    return PriorMean.from_observations(rows, values[ran].tolist())
