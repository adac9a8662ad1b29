"""Fit the numbers of hwmodels/hls/tools.yaml to recorded designs, and say how they do on kernels that were left out.

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.fit_hls [--area] [--time]

Area: the weights of AreaModel's terms and of floating-point operators, by least squares of the logarithm, the few far
off bounded (soft L1). Time: each number in turn goes up or down by a step where that lowers the mean over kernels of
the median |log(predicted / recorded)|. Both are printed as YAML for each tool, with the scores of each kernel by
numbers that were fitted without it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

from tests.benchmarks.hls import merlin
from tests.benchmarks.hls.records import Entry, Floats, compared
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.hls.area import TERMS, AreaModel
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.tools import HlsTool, tool
from tunepass.study.trust import rank_correlation

KINDS = ("double_add", "double_mul", "double_div")
ROWS = 150  # of a table, evenly over it
STEPS = (0.8, 1.25)
LARGEST_LOG = 50.0  # of a term's whole amount, so that none overflows on the way
LEAST = 0.015  # shares below are cut to nothing in the records


@dataclass(frozen=True, slots=True)
class Cases:
    """Terms (n, terms) of designs of one table and what they took (n,), by resource."""

    kernel: str
    terms: Floats
    taken: Mapping[str, Floats]


def entries(version: str, data: Path) -> list[Entry]:
    return [e for e in merlin.ENTRIES if e.table.endswith(version) and (data / f"{e.table}.json").exists()]


def cases(entry: Entry, version: str, data: Path, of: HlsTool | None = None) -> Cases:
    """`of`: the numbers by which designs are timed, if not the version's."""
    name = entry.table.removeprefix("hlsyn/").removesuffix(f"-{version}")
    model = AreaModel(CycleModel(Nest(merlin.body(name)), of or tool(merlin.TOOLS[version])))
    units, terms = model.units(), model.terms()
    named = {kind: units[kind] for kind in KINDS if kind in units} | {t: terms[t] for t in TERMS}
    found = compared(entry, data, replace(entry.price(), area=named))
    taken = compared(entry, data).area
    built = np.flatnonzero(found.valid)
    built = built[:: max(1, len(built) // ROWS)]
    zero = np.zeros(len(built))
    columns = [found.area[t][1][built] if t in named else zero for t in (*KINDS, *TERMS)]
    capacity = devices.load(merlin.DEVICE).capacity
    shares = {value: taken[column][0][built] * capacity[value] for value, column in merlin.COLUMNS.items()}
    return Cases(entry.kernel, np.stack([*columns, np.ones(len(built))], axis=1), shares)


def weights(train: Sequence[Cases], resource: str) -> Floats:
    """Of the terms, not negative."""
    least = LEAST * devices.load(merlin.DEVICE).capacity[resource]
    kept = [c.taken[resource] > least for c in train]
    x = np.concatenate([c.terms[k] for c, k in zip(train, kept)])
    y = np.concatenate([c.taken[resource][k] for c, k in zip(train, kept)])
    w = np.concatenate([np.full(k.sum(), 1 / np.sqrt(max(1, k.sum()))) for k in kept])
    scale = np.where(x.mean(axis=0) > 0, x.mean(axis=0), np.inf)

    def off(logs: Floats) -> Floats:
        amounts = np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG)) / scale
        return np.asarray(w * np.log(x @ amounts / y))

    start = np.full(x.shape[1], np.log(np.median(y) / x.shape[1]))
    fitted = least_squares(off, start, loss="soft_l1", f_scale=0.05, max_nfev=40)
    return np.asarray(np.exp(np.clip(fitted.x, -LARGEST_LOG, LARGEST_LOG)) / scale)


def fit_area(version: str, data: Path) -> Iterator[str]:
    known = [cases(e, version, data) for e in entries(version, data)]
    for resource in ("luts", "ffs", "brams"):
        scores = []
        for kernel in dict.fromkeys(c.kernel for c in known):
            w = weights([c for c in known if c.kernel != kernel], resource)
            left = [c for c in known if c.kernel == kernel and np.ptp(c.taken[resource]) > 0]
            scores += [rank_correlation(c.terms @ w, c.taken[resource]) for c in left]
        found = weights(known, resource)
        named = zip((*KINDS, *TERMS, "base"), found, strict=True)
        said = ", ".join(f"{name}: {value:.3g}" for name, value in named if value > 1e-3)
        yield f"{merlin.TOOLS[version]} {resource}: {{{said}}}  # Spearman left out, median {np.median(scores):.2f}"


def numbers(of: HlsTool) -> dict[str, float]:
    return {
        **{f"operators.{kind}": of.operators[kind].cycles for kind in KINDS},
        "loop_cycles": of.loop_cycles,
        "transfers.request_cycles": of.transfers.request_cycles,
        "transfers.scattered_cycles": of.transfers.scattered_cycles,
    }


def changed(of: HlsTool, name: str, value: float) -> HlsTool:
    group, _, field = name.rpartition(".")
    if group == "operators":
        old = of.operators[field]
        return replace(of, operators={**of.operators, field: replace(old, cycles=value)})
    if group == "transfers":
        return replace(of, transfers=replace(of.transfers, **{field: value}))  # type: ignore[arg-type]
    return replace(of, **{field: value})  # type: ignore[arg-type]


def error(of: HlsTool, entry: Entry, version: str, data: Path) -> float:
    name = entry.table.removeprefix("hlsyn/").removesuffix(f"-{version}")
    found = compared(entry, data, replace(merlin.price(name, version, of), area={}))
    known = found.valid
    return float(np.median(np.abs(np.log(found.predicted[known] / found.time[known]))))


def fit_time(version: str, data: Path) -> Iterator[str]:
    """One round over the numbers; again until nothing changes."""
    known = entries(version, data)
    errors: dict[tuple[float, ...], Floats] = {}

    def of(tried: HlsTool) -> Floats:
        key = tuple(numbers(tried).values())
        if key not in errors:
            errors[key] = np.array([error(tried, e, version, data) for e in known])
        return errors[key]

    def best(kept: Floats) -> HlsTool:
        found = tool(merlin.TOOLS[version])
        for name in numbers(found):
            steps = [changed(found, name, numbers(found)[name] * step) for step in STEPS]
            found = min((found, *steps), key=lambda tried: float(of(tried)[kept].mean()))
        return found

    kernels = np.array([e.kernel for e in known])
    for name, value in numbers(best(np.ones(len(known), bool))).items():
        yield f"{merlin.TOOLS[version]} {name}: {value:.3g}"
    for kernel in dict.fromkeys(kernels):
        left = of(best(kernels != kernel))[kernels == kernel]
        yield f"  {kernel:14} left out: median |log error| {', '.join(f'{e:.2f}' for e in left)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="fit_hls", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("TUNEPASS_DATA"), help="folder of recorded tables")
    parser.add_argument("--area", action="store_true", help="only area")
    parser.add_argument("--time", action="store_true", help="only time")
    options = parser.parse_args()
    if not options.data or not Path(options.data).is_dir():
        print("give the folder of recorded tables: TUNEPASS_DATA=FOLDER or --data FOLDER", file=sys.stderr)
        return 2
    for version in merlin.TOOLS:
        for fit, wanted in ((fit_area, options.area or not options.time), (fit_time, options.time or not options.area)):
            for line in fit(version, Path(options.data)) if wanted else ():
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
