"""OpenCL kernels with the amounts of area fitted on the other kernels' tables.

What is fitted: the ALMs of the shell, of an operator, of a load-store unit, of a port of on-chip memory, and of a bit
that loops carry: least squares of relative errors, none below 0, a task's bit at half a range's. The clock's rule, the
times of global memory and of a launch were read off the records by hand and stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from tests.benchmarks.hls import spector
from tests.benchmarks.hls.records import Entry, Floats, compared, recorded
from tests.benchmarks.hls.statistics import Score, score
from tests.benchmarks.search.tables import markdown
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.opencl import area
from tunepass.hwmodels.hls.opencl.numbers import Board, board
from tunepass.study.outcome import Measured

REACHED = ("request", "scatter", "constant")


def table(entries: Sequence[Entry], data: Path) -> str:
    ours = [e for e in entries if e.table.startswith("spector/")]
    rows: list[list[str]] = []
    for entry in ours:
        others = [e for e in ours if e.kernel != entry.kernel]
        if not others:
            continue
        name = entry.table.partition("/")[2]
        found: Score = score(compared(entry, data, spector.price(name, fitted(others, data))))
        rows.append([entry.table, f"{found.time:.2f}", f"{found.mean_area:.2f}", f"{found.best:.2f}"])
    return markdown(["left out", "Spearman, time", "Spearman, area", "best of ten / optimum"], rows)


def fitted(entries: Sequence[Entry], data: Path) -> Board:
    features, targets = list[Floats](), list[Floats]()
    for entry in {e.kernel: e for e in entries}.values():  # inputs of one kernel share their designs
        x, alms = _counted(entry, data)
        weight = 1 / (alms * np.sqrt(len(alms)))
        features.append(x * weight[:, None])
        targets.append(np.ones(len(alms)) / np.sqrt(len(alms)))
    x, y = np.concatenate(features), np.concatenate(targets)
    scale = np.maximum(np.abs(x).max(axis=0), 1e-12)
    base, operator, request, local, carried = (nnls(x / scale, y)[0] / scale).tolist()
    amounts: Mapping[str, float] = {
        "base": base, "operator": operator, "local": local, "carried_bit": carried, "task_carried_bit": carried / 2,
        **dict.fromkeys(REACHED, request),
    }  # fmt: skip
    return replace(board(), alms=amounts)


def _counted(entry: Entry, data: Path) -> tuple[Floats, Floats]:
    """(n, 5) counts of each row's design, and its ALMs (n,)."""
    outcomes = recorded(data, entry.table).outcomes
    parameters = recorded(data, entry.table).space.parameters
    rows, n = list(outcomes), len(outcomes)
    columns = {p.name: p.column([row[p.name] for row in rows]) for p in parameters}
    counted = {name: np.zeros(n) for name in ("operator", "local", "carried_bit", "task_carried_bit", *REACHED)}
    left = np.ones(n, bool)
    for variant in spector.VARIANTS[entry.table.partition("/")[2]]:
        here = left & evaluate_within(spector.read_columns(variant.when), columns, n).values.astype(bool)
        left &= ~here
        for kernel in spector.kernels(variant):
            for name, e in area.counts(kernel, load(board().device), board()).items():
                if name in counted:
                    counted[name][here] += evaluate_within(e, columns, n).values.astype(np.float64)[here]
    alms = np.array([o.values["logic"] if isinstance(o, Measured) else np.nan for o in outcomes.values()])
    reached = sum((counted[name] for name in REACHED), start=np.zeros(n))
    carried = counted["carried_bit"] + counted["task_carried_bit"] / 2
    return np.stack([np.ones(n), counted["operator"], reached, counted["local"], carried], axis=1), alms
