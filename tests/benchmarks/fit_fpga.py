"""Fit the `fitted` section of hwmodels/devices/stratix-v.yaml and print it.

    TUNEPASS_DATA=FOLDER python tests/benchmarks/fit_fpga.py [BLACKSCHOLES PLACE_AND_ROUTE TILE_LOAD]

BLACKSCHOLES: B, OP, IP, toggle, ALMs, Cycles, DSPs, BRAMs, valid of the recorded space. Only its odd rows (first,
third, …) are fitted: those where the toggle is off. Judge with bench_fpga.py on the even ones.
PLACE_AND_ROUTE: spatial-lang's StratixV-Routing.csv (first row: maxima). TILE_LOAD: its TileLoadData.csv.
Prints cross-validated errors as comments: the placement is fitted five times without a fifth of its samples.
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
HIDDEN = 6
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


def net(parameters: Floats, x: Floats) -> Floats:
    hidden = parameters[: HIDDEN * (x.shape[1] + 1)].reshape(HIDDEN, -1)
    output = parameters[hidden.size :]
    active = 1 / (1 + np.exp(-np.clip(hidden[:, 0] + x @ hidden[:, 1:].T, -60, 60)))
    return np.asarray(1 / (1 + np.exp(-np.clip(output[0] + active @ output[1:], -60, 60))))


def fit_net(points: Floats, measured: dict[str, Floats], starts: int) -> tuple[Floats, float]:
    """The tile-load net on both sources; relative residuals."""
    x = np.stack([points[:, 0] / 15, np.full(len(points), 1e-4), points[:, 1] / 24576, points[:, 2] / 192], axis=1)
    x = np.concatenate([x, np.stack([measured[k] for k in ("Readers", "Rows", "Columns", "Par")], axis=1)])
    y = np.concatenate([points[:, 3], measured["Improve"]])
    best, error = np.zeros(0), np.inf
    for seed in range(starts):
        start = np.random.default_rng(seed).normal(0, 2, HIDDEN * 5 + HIDDEN + 1)
        found = least_squares(
            lambda p: (net(p, x) - y) / y, start, method="trf", loss="soft_l1", f_scale=0.02, max_nfev=150
        )
        if found.cost < error:
            best, error = found.x, found.cost
    return best, float(np.median(np.abs(net(best, x) / y - 1)))


def saturating(p: Floats, logic: Floats, blocks: Floats) -> Floats:
    return np.asarray(p[0] * logic / (logic + np.exp(p[1])) + p[2] * logic / (logic + np.exp(p[3])) + p[4] * blocks)


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


def fit_placement(t: dict[str, Floats], samples: dict[str, Floats]) -> tuple[Floats, Floats]:
    """Routing and unavailable ALMs: P&R samples, and the ALMs and blocks of the table's points."""
    logic, packed, amount = amounts(t)
    n = len(t["B"])
    theirs = sum((samples[r] for r in LOGIC), np.zeros(1))
    weight = 1 + 30 * (t["ALMs"] < 320_000)

    def residuals(p: Floats) -> Floats:
        routing, lost = saturating(p[:5], logic, amount["BRAM"]), saturating(p[5:], logic, amount["BRAM"])
        alms = packed + routing / 2 + lost
        copies = np.maximum(0, 0.02 * routing - 500)
        far = (saturating(p[:5], theirs, samples["BRAM"]) / np.maximum(samples["Routing LUTs"], 1) - 1) * 0.05
        return np.concatenate([
            (alms / t["ALMs"] - 1) * 100 * weight,
            ((amount["BRAM"] + copies) / t["BRAMs"] - 1) * 5,
            far * np.sqrt(n / len(far)),
        ])  # fmt: skip

    start = np.array([1.5e5, 13.0, 5e4, 15.0, 0.1, 1e4, 13.0, 3e4, 15.0, 0.1])
    lowest = np.tile([0.0, 5.0, 0.0, 5.0, 0.0], 2)  # nothing that is added may take routing away
    found = least_squares(
        residuals, start, bounds=(lowest, np.inf), loss="soft_l1", x_scale=np.maximum(start, 1), max_nfev=300
    )
    return found.x[:5], found.x[5:]


def validate_placement(t: dict[str, Floats], samples: dict[str, Floats]) -> None:
    """Five folds over designs placed and routed and over points: what a fit says of those it has not seen."""
    fold_t, fold_s = (np.random.default_rng(0).permutation(n) % FOLDS for n in (len(t["B"]), len(samples["Regs"])))
    logic = sum((samples[r] for r in LOGIC), np.zeros(1))
    routed, placed = [], []
    for k in range(FOLDS):
        routing, lost = fit_placement(
            {r: v[fold_t != k] for r, v in t.items()}, {r: v[fold_s != k] for r, v in samples.items()}
        )
        out = fold_s == k
        guess = saturating(routing, logic[out], samples["BRAM"][out])
        routed.append(np.abs(guess / np.maximum(samples["Routing LUTs"][out], 1) - 1))
        held = {r: v[fold_t == k] for r, v in t.items()}
        raw, packed, amount = amounts(held)
        alms = packed + saturating(routing, raw, amount["BRAM"]) / 2 + saturating(lost, raw, amount["BRAM"])
        placed.append(np.abs(alms / held["ALMs"] - 1))
    for title, parts in (("routing LUTs of designs placed and routed", routed), ("ALMs of the recorded space", placed)):
        error = np.concatenate(parts) * 100
        print(
            f"# placement, {FOLDS} folds, {title}: median {np.median(error):.2f}%, 95th {np.percentile(error, 95):.1f}%"
        )


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in FILES:
        arguments.add_argument(name, nargs="?")
    arguments.add_argument("--starts", type=int, default=6)
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
    weights, error = fit_net(points[:: max(1, len(points) // 2500)], table(given.tile_load), given.starts)
    hidden, output = weights[: HIDDEN * 5].reshape(HIDDEN, 5), weights[HIDDEN * 5 :]
    few = {k: v[::7] for k, v in odd.items()}
    routing, lost = fit_placement(few, samples)
    validate_placement(few, samples)
    print(f"# body: {body} cycles measured, {latency} from the operations; tile load: median error {error:.4f}")
    print("fitted:")
    print("  source: tests/benchmarks/fit_fpga.py, on the odd rows of the recorded BlackScholes space,")
    print("          StratixV-Routing.csv and TileLoadData.csv (stanford-ppl/spatial-lang)")
    print(f"  body_stretch: {body / latency:.6f}")
    print("  placement:")
    for name, p in (("routing_luts", routing), ("unavailable_alms", lost)):
        pairs = f"[[{p[0]:.6g}, {np.exp(p[1]):.6g}], [{p[2]:.6g}, {np.exp(p[3]):.6g}]]"
        print(f"    {name}: {{saturating: {pairs}, per_block: {p[4]:.6g}}}")
    regs, fanout = samples["Regs"], samples["Fanout Regs"]
    print(f"    fanout_per_reg: {float(regs @ fanout / (regs @ regs)):.6g}")
    print("  tile_load:  # bias, then weights of readers / 15, columns / 24576, par / 192")
    print("    hidden:")
    for row in hidden:
        print(f"      - [{row[0] + 1e-4 * row[2]:.6g}, {row[1]:.6g}, {row[3]:.6g}, {row[4]:.6g}]")  # one row a command
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
