"""The parts of an estimate beside the counters of the hardware, where a table has them (KTT's of the 2080 Ti)."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.gpu.recorded import Entry, body, recorded
from tests.benchmarks.search.tables import markdown
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.model import priced
from tunepass.hwmodels.gpu.resources import stated_resources
from tunepass.hwmodels.gpu.traffic import moved
from tunepass.study.trust import rank_correlation

Floats = NDArray[np.float64]
COUNTERS = {
    "wavefronts of shared memory, loads": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "wavefronts of shared memory, stores": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global loads": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "sectors read of L2": "lts__t_sectors_op_read.sum",
    "sectors read of DRAM": "dram__sectors_read.sum",
    "registers": "registers",
}


def table(entries: Sequence[Entry], data: Path) -> str:
    rows = [row for entry in entries if entry.table.startswith("ktt/") for row in _rows(entry, data)]
    return markdown(["space", "part", "rows", "Spearman", "estimated / counted", "10 %", "90 %"], rows)


def _rows(entry: Entry, data: Path) -> list[list[str]]:
    counted, columns = _counted(entry, data)
    rows: list[list[str]] = []
    for part, e in _parts(entry).items():
        if COUNTERS[part] not in counted:
            continue
        truth = counted[COUNTERS[part]]
        (found,) = CompiledExpressions([e]).evaluate(columns, len(truth))
        said = np.broadcast_to(found.values, len(truth)).astype(np.float64)
        kept = (truth > 0) & (said > 0)
        if kept.any():
            ratio = said[kept] / truth[kept]
            varies = np.ptp(truth[kept]) > 0 and np.ptp(said[kept]) > 0
            rank = f"{rank_correlation(said[kept], truth[kept]):.2f}" if varies else "–"
            quantiles = [f"{np.quantile(ratio, q):.2f}" for q in (0.5, 0.1, 0.9)]
            rows.append([entry.table, part, str(kept.sum()), rank, *quantiles])
    return rows


def _parts(entry: Entry) -> dict[str, Expr]:
    """Of the whole launch, as the counters count."""
    gpu, kernel = load(entry.device), body(entry.source)
    threads = alg.mul(*(kernel.at(e) for e in kernel.launch.block))
    blocks = alg.mul(1.0, *(kernel.at(e) for e in kernel.launch.grid))
    warps = alg.mul(blocks, alg.ceildiv(threads, gpu.limits.warp))
    accesses = moved(kernel, gpu, blocks)
    buffers = {argument.name for argument in kernel.arguments}  # others live in local memory, counted by themselves
    reads = [m for m in accesses if m.access.array in buffers and not m.access.written]
    sector = 1 / gpu.architecture.sector_byte
    shared = {
        written: alg.add(0.0, *(alg.mul(m.instructions, m.wavefronts) for m in accesses
                                if m.in_shared and m.access.written == written))
        for written in (False, True)
    }  # fmt: skip
    return {
        "wavefronts of shared memory, loads": alg.mul(warps, shared[False]),
        "wavefronts of shared memory, stores": alg.mul(warps, shared[True]),
        "global loads": alg.mul(warps, alg.add(0.0, *(m.instructions for m in reads))),
        "sectors read of L2": alg.mul(sector, blocks, alg.add(0.0, *(m.block_byte for m in reads))),
        "sectors read of DRAM": alg.mul(sector, alg.add(0.0, *(m.total_byte for m in reads))),
        "registers": priced(kernel, gpu, stated_resources(kernel, gpu)).values["registers"],
    }


def _counted(entry: Entry, data: Path) -> tuple[dict[str, Floats], dict[str, NDArray[np.generic]]]:
    """The counters of the rows that ran, and the rows' parameters."""
    with gzip.open(data / f"{entry.table}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["valid"] == "1"]
    parameters = recorded(data, entry.table).space.parameters
    columns = {p.name: p.column([int(row[p.name]) for row in rows]) for p in parameters}
    known = [name for name in COUNTERS.values() if name in rows[0]]
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in known}, columns
