"""Fit the `fitted` section of hwmodels/devices/stratix-v.yaml and print it.

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.fit_fpga [BLACKSCHOLES PLACE_AND_ROUTE TILE_LOAD]

BLACKSCHOLES: B, OP, IP, toggle, ALMs, Cycles, DSPs, BRAMs, valid of the recorded space. Only its odd rows (first,
third, …) are fitted: those where the toggle is off. Judge with bench_fpga.py on the even ones.
PLACE_AND_ROUTE: spatial-lang's StratixV-Routing.csv (first row: maxima). TILE_LOAD: its TileLoadData.csv.
Prints as comments the errors of each part on what it was fitted to, and beside it: five times without a fifth.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from tests.benchmarks import fit_tile_load
from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.area import AreaModel
from tunepass.hwmodels.fpga.dataflow import analyse
from tunepass.hwmodels.fpga.device import load
from tunepass.ir.hardware import Program
from tunepass.ir.kernel import Kernel

SAMPLE = Path(__file__).parents[2] / "samples" / "spatial" / "BlackScholes.scala"
STARTUP, N = 43_000, 9_995_328
PER_BLOCK = 0.3
FOLDS = 5
LOGIC = ("LUT3", "LUT4", "LUT5", "LUT6", "LUT7", "MEM16", "MEM32", "MEM64")
FILES = {
    "blackscholes": "spatial/BlackScholes.csv.gz",
    "place_and_route": "spatial_models/stratixv_place_and_route.csv.gz",
    "tile_load": "spatial_models/tile_load_contention.csv.gz",
}
Floats = NDArray[np.float64]


def table(path: str) -> dict[str, Floats]:
    """The columns of a CSV."""
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i] or 0) for row in rows[1:]]) for i, name in enumerate(rows[0])}


def sample() -> Kernel:
    return SpatialFrontend().parse(Source(SAMPLE.name, SAMPLE.read_text())).kernels[0]


def base_cycles(columns: Floats, readers: Floats) -> Floats:
    """A load with one lane, see dram.py."""
    first, second = 0.307 / (1 + np.exp(-0.096 + 0.21)), 0.185 / (1 + np.exp(-0.24 - 0.8))
    overhead = np.where(columns == 96, first, np.where(columns == 192, second, 0.165))
    return np.ceil((1 + overhead * np.log(readers) / np.log(12)) * (163 + columns))


def store_cycles(b: Floats, par: Floats, competing: Floats) -> Floats:
    o, s = 0.02 * competing - 0.019, np.where(competing < 8, 0.0, 0.0175)
    return np.ceil(b / par * np.where(par < 8, 1 + s * par, o * par + 1 - 8 * o + 8 * s))


def body_cycles(t: dict[str, Floats]) -> float:
    """The inner body's latency, from sequential points with one lane (whose loads take their base time)."""
    one = (t["x1873"] == 0) & (t["IP"] == 1)
    n = np.ceil(np.ceil(N / t["B"]) / t["OP"])
    stages = (t["Cycles"] - STARTUP - 1) / n
    rest = base_cycles(t["B"], 6 * t["OP"]) + 1 + store_cycles(t["B"], t["IP"], t["OP"]) + t["B"] - 1 + 1
    return float(np.median((stages - rest)[one]))


def speedups(t: dict[str, Floats], body: float) -> Floats:
    """(readers, columns, par, factor) of every sequential point, and of every MetaPipe bound by its loads."""
    n = np.ceil(np.ceil(N / t["B"]) / t["OP"])
    inner = body + np.ceil(t["B"] / t["IP"])
    piped = t["x1873"] == 1
    readers = np.where(piped, 7, 6) * t["OP"]
    store = store_cycles(t["B"], t["IP"], np.where(piped, readers, t["OP"]))
    turns = (t["Cycles"] - STARTUP - 1) / n - inner - store - 1
    stage = (t["Cycles"] - STARTUP - 1 - inner - store) / n - 1
    time = np.where(piped, stage, turns)
    kept = ~piped | (stage > np.maximum(inner, store))
    factor = time / base_cycles(t["B"], readers)
    kept &= (factor > 0.02) & (factor <= 1.001)
    return np.stack([readers, t["B"], t["IP"], factor], axis=1)[kept]


def saturating(p: Floats, logic: Floats) -> Floats:
    return np.asarray(p[0] * logic / (logic + np.exp(p[1])) + p[2] * logic / (logic + np.exp(p[3])))


def routed(p: Floats, logic: Floats, blocks: Floats) -> Floats:
    """LUTs used as wires."""
    return np.asarray(saturating(p[:4], logic) + p[8] * blocks)


def amounts(t: dict[str, Floats]) -> tuple[Floats, Floats, dict[str, Floats]]:
    """LUTs of the table's points, those left after packing, and every resource."""
    raw = AreaModel((k := sample()).body_as(Program), load("stratix-v")).raw().area
    columns = {"B": t["B"].astype(np.int64), "OP": t["OP"].astype(np.int64), "IP": t["IP"].astype(np.int64)}
    columns[k.parameters[-1].name] = t["x1873"].astype(bool)
    n = len(t["B"])
    amount = {r: np.asarray(numpy_eval.evaluate(raw[r], columns, n).values, dtype=float) for r in raw}
    logic = sum((amount[r] for r in LOGIC), np.zeros(1))
    shared = (amount["LUT3"] + amount["LUT4"] + amount["LUT5"] + amount["MEM16"]) / 2
    return logic, logic - shared - amount["LUT6"] / 10, amount


def fit_placement(t: dict[str, Floats], samples: dict[str, Floats]) -> Floats:
    """Routing and unavailable ALMs, and wires a block: P&R samples, and the ALMs and blocks of the table's points.

    What a block adds is held to PER_BLOCK, and only wires: the blocks of a memory fall when more lanes split it better,
    and ALMs must not fall with them by more than the fit is off.
    """
    logic, packed, amount = amounts(t)
    n = len(t["B"])
    theirs = sum((samples[r] for r in LOGIC), np.zeros(1))
    weight = 1 + 20 * (t["ALMs"] < 320_000)

    def residuals(p: Floats) -> Floats:
        routing = routed(p, logic, amount["BRAM"])
        alms = packed + routing / 2 + saturating(p[4:8], logic)
        copies = np.maximum(0, 0.02 * routing - 500)
        far = (routed(p, theirs, samples["BRAM"]) / np.maximum(samples["Routing LUTs"], 1) - 1) * 0.05
        return np.concatenate([
            (alms / t["ALMs"] - 1) * 100 * weight,
            ((amount["BRAM"] + copies) / t["BRAMs"] - 1) * 15,
            far * np.sqrt(n / len(far)),
        ])  # fmt: skip

    start = np.array([1.5e5, 13.0, 5e4, 15.0, 1e4, 13.0, 3e4, 15.0, PER_BLOCK / 3])
    lowest = np.array([0.0, 5.0] * 4 + [0.0])  # nothing that is added may take routing away
    highest = np.array([np.inf, 22.0] * 4 + [PER_BLOCK])
    found = least_squares(
        residuals,
        start,
        bounds=(lowest, highest),
        loss="soft_l1",
        f_scale=0.3,
        x_scale=np.maximum(start, 1),
        max_nfev=600,
    )
    return np.asarray(found.x)


def told(what: str, error: Floats) -> None:
    print(f"# {what}: median {np.median(error):.2%}, 95th percentile {np.percentile(error, 95):.1%}")


def validate_placement(t: dict[str, Floats], samples: dict[str, Floats], folds: int) -> None:
    """Folds over designs placed and routed and over points: what a fit says of those it has seen, and has not."""
    fold_t, fold_s = (np.random.default_rng(0).permutation(n) % folds for n in (len(t["B"]), len(samples["Regs"])))
    seen, unseen = [], []
    for k in range(folds):
        kept_t, kept_s = (
            {r: v[fold != k] for r, v in table.items()} for table, fold in ((t, fold_t), (samples, fold_s))
        )
        left_t, left_s = (
            {r: v[fold == k] for r, v in table.items()} for table, fold in ((t, fold_t), (samples, fold_s))
        )
        p = fit_placement(kept_t, kept_s)
        seen.append((placed_errors(p, kept_t), routed_errors(p, kept_s)))
        unseen.append((placed_errors(p, left_t), routed_errors(p, left_s)))
    for title, parts in (("fitted", seen), ("beside", unseen)):
        told(f"placement, {title}: ALMs of the recorded space", np.concatenate([alms for alms, _ in parts]))
        told(f"placement, {title}: routing LUTs of designs placed and routed", np.concatenate([r for _, r in parts]))


def placed_errors(p: Floats, t: dict[str, Floats]) -> Floats:
    logic, packed, amount = amounts(t)
    alms = packed + routed(p, logic, amount["BRAM"]) / 2 + saturating(p[4:8], logic)
    return np.abs(alms / t["ALMs"] - 1)


def routed_errors(p: Floats, samples: dict[str, Floats]) -> Floats:
    logic = sum((samples[r] for r in LOGIC), np.zeros(1))
    return np.abs(routed(p, logic, samples["BRAM"]) / np.maximum(samples["Routing LUTs"], 1) - 1)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in FILES:
        arguments.add_argument(name, nargs="?")
    arguments.add_argument("--starts", type=int, default=4, help="of the tile-load net")
    arguments.add_argument("--folds", type=int, default=FOLDS, help="of the cross-validation; 0: none")
    given = arguments.parse_args()
    for name, file in FILES.items():
        path = getattr(given, name) or recorded_file(file)
        if path is None:
            return 2
        setattr(given, name, path)
    recorded = table(given.blackscholes)
    odd = {name: column[0::2] for name, column in recorded.items()}
    samples = {name: column[1:] for name, column in table(given.place_and_route).items()}
    body = body_cycles(odd)
    program = sample().body_as(Program)
    latency = max(analyse(c.operations, load("stratix-v")).latency for c in program.accel.walk())
    points = speedups(odd, body)
    points, tiles = fit_tile_load.recorded(points), fit_tile_load.measured(table(given.tile_load))
    weights = fit_tile_load.fit(points, tiles, given.starts)
    hidden, output = np.split(weights, [5 * fit_tile_load.HIDDEN])
    few = {k: v[::7] for k, v in odd.items()}
    placement = fit_placement(few, samples)
    even = fit_tile_load.recorded(speedups({name: column[1::2] for name, column in recorded.items()}, body))
    print(f"# body: {body} cycles measured, {latency} from the operations")
    told("tile load, fitted: recorded space, odd rows", fit_tile_load.errors(weights, points))
    told("tile load, beside: recorded space, even rows", fit_tile_load.errors(weights, even))
    told("tile load, fitted: measured", fit_tile_load.errors(weights, tiles))
    if given.folds:
        beside = fit_tile_load.validate(points, tiles, max(1, given.starts // 12), given.folds)
        told(f"tile load, beside: measured, {given.folds} folds", beside)
        validate_placement(few, samples, given.folds)
    print("fitted:")
    print("  source: tests/benchmarks/fit_fpga.py, on the odd rows of the recorded BlackScholes space,")
    print("          StratixV-Routing.csv and TileLoadData.csv (stanford-ppl/spatial-lang)")
    print(f"  body_stretch: {body / latency:.6f}")
    print("  placement:")
    for name, p in (("routing_luts", [*placement[:4], placement[8]]), ("unavailable_alms", [*placement[4:8], 0.0])):
        pairs = f"[[{p[0]:.6g}, {np.exp(p[1]):.6g}], [{p[2]:.6g}, {np.exp(p[3]):.6g}]]"
        print(f"    {name}: {{saturating: {pairs}, per_block: {p[4]:.6g}}}")
    regs, fanout = samples["Regs"], samples["Fanout Regs"]
    print(f"    fanout_per_reg: {float(regs @ fanout / (regs @ regs)):.6g}")
    print("  tile_load:  # bias, then weights of readers / 15, rows / 10,000, columns / 24,576, par / 192")
    print("    hidden:")
    for row in hidden.reshape(fit_tile_load.HIDDEN, 5):
        print(f"      - [{', '.join(f'{w:.6g}' for w in row)}]")
    print(f"    output: [{', '.join(f'{w:.6g}' for w in output)}]")
    return 0


def recorded_file(name: str) -> str | None:
    """A file of the recorded data; says what is missing where there is none."""
    folder = os.environ.get("TUNEPASS_DATA")
    if folder and Path(folder, name).exists():
        return str(Path(folder, name))
    print(f"set TUNEPASS_DATA to the folder that holds {name}", file=sys.stderr)
    return None


if __name__ == "__main__":
    sys.exit(main())
