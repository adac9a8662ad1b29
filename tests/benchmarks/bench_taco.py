"""Sparse tensor kernels: sizes of spaces, right results, speed beside SciPy, searches beside other tuners, wall time.

    python -m tests.benchmarks.bench_taco [--only sizes,right,scipy,experts,search,wall] [--kernels spmm,spmv]
        [--seeds 5] [--python VENV/bin/python] [--kept FOLDER]

`make bench-taco` runs it: hours as it is; it goes on where it stopped. VENV has Optuna and OpenTuner.

sizes   the samples' spaces beside the numbers of feasible configurations published for BaCO's
right   random legal schedules of each sample on three tensors, one of them with empty rows, a dense row and few columns
scipy   the code for the expression without a schedule beside SciPy's, one thread, in turns
experts whether the sizes of the expert schedules are tuned: the best single change of each, over the kernel's tensors
search  tuners on real runs, budgets as BaCO's: shares of the expert's time, evaluations until it is reached
wall    what a build of the SpMM sample spends outside compilers and kernels
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean, median

import numpy as np
import scipy.sparse

import tunepass
from tests.benchmarks.taco.experts import EXPERTS
from tests.benchmarks.taco.pictures import write_picture
from tests.benchmarks.taco.runner import Runner
from tests.benchmarks.taco.searches import METHODS, Problem, best_so_far, search
from tests.benchmarks.taco_panel import PANEL, PanelTensor
from tunepass.backends.base import Target, backend_for
from tunepass.backends.tensor.backend import TensorBackend
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import Generated, TensorKernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Permutation
from tunepass.space.space import Space
from tunepass.tensors.schedule.propose import proposal

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples" / "taco"
KERNELS = ("spmv", "spmm", "sddmm", "ttv", "mttkrp")
PUBLISHED = {"spmm": 46_656, "sddmm": 77_760, "spmv": 3_024_000, "mttkrp": 680_400}  # facts of BaCO's artifact
BUDGET = {"spmv": 70, "spmm": 60, "sddmm": 60, "ttv": 70, "mttkrp": 60}  # BaCO, Table 3
SMALL = {  # empty slices and more columns than rows; a dense row; more rows than columns
    2: (
        PanelTensor("sparse", "uniform", (("rows", 50), ("columns", 70), ("nonzeros", 60), ("seed", 1))),
        PanelTensor("dense row", "circuit", (("rows", 60), ("nonzeros", 300), ("rails", 1), ("seed", 1))),
        PanelTensor("tall", "uniform", (("rows", 300), ("columns", 7), ("nonzeros", 900), ("seed", 2))),
    ),
    3: (
        PanelTensor(
            "sparse", "uniform", (("rows", 40), ("columns", 30), ("layers", 20), ("nonzeros", 50), ("seed", 1))
        ),
        PanelTensor("uber", "uber", (("scale", 0.01), ("seed", 1))),
        PanelTensor("tall", "uniform", (("rows", 90), ("columns", 3), ("layers", 50), ("nonzeros", 2000), ("seed", 2))),
    ),
}
SCIPY = {"spmv": 1.25, "spmm": 1.0}  # at most this much of SciPy's time
WITHIN, INFORMED, BUSY = 20, 0.60, 0.85
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tunepass" / "taco"
PARTS = ("sizes", "right", "scipy", "experts", "search", "wall")
TUNED = 0.95  # of the expert's time: what no single change of a size gets below


def sample(name: str) -> Kernel:
    return tunepass.load(SAMPLES / f"{name}.taco")


def with_data(kernel: Kernel, datum: Generated) -> Kernel:
    body = kernel.body_as(TensorKernel)
    return replace(kernel, body=replace(body, data=(datum,)))


def space_of(kernel: Kernel) -> Space:
    return Space(kernel.parameters, kernel.constraints)


def sizes(names: Sequence[str]) -> bool:
    good = True
    print("(sizes) kernel     feasible   published")
    for name in names:
        size = space_of(sample(name)).size
        stated = PUBLISHED.get(name)
        good = good and stated in (None, size)
        print(f"        {name:8} {size:10,} {'none' if stated is None else f'{stated:,}':>11}", flush=True)
    return good


# --- one kernel on one tensor -------------------------------------------------------------------------------------


class Bench:
    """A sample on generated data: its space, its model and the times of its configurations."""

    def __init__(self, name: str, tensor: PanelTensor, kept: Path):
        kernel = sample(name)
        self.operand = kernel.body_as(TensorKernel).data[0].tensor
        self.kernel = with_data(kernel, tensor.generated(self.operand))
        self.space = space_of(self.kernel)
        backend = backend_for(self.kernel, Target())
        assert isinstance(backend, TensorBackend)
        self.data = backend.data
        costs = backend.costs()
        self.model = None if costs is None else costs.values["time"]
        self.words = tensor.name.replace(" ", "_")
        body = self.kernel.body_as(TensorKernel)
        self.runner = Runner(body, self.data.stored, self.data.extents, kept / f"{name}.{self.words}.times.json")

    @property
    def problem(self) -> Problem:
        return Problem(self.space, self.kernel.parameters, self.model, self.runner.time)


def right(names: Sequence[str], schedules: int, kept: Path) -> bool:
    good = True
    for name in names:
        found: list[str] = []
        for tensor in SMALL[min(3, len(PANEL[name].index))]:
            bench = Bench(name, tensor, kept / "right")
            drawn = bench.space.sample(schedules, np.random.default_rng(7))
            wrong = bench.runner.wrong(drawn)
            good = good and not wrong
            found.append(f"{len(drawn) - len(wrong)} of {len(drawn)} on {tensor.name}")
            for configuration in wrong[:3]:
                print(f"        wrong: {dict(configuration)}")
            bench.runner.close()
        print(f"(right) {name:8} {', '.join(found)}", flush=True)
    return good


# --- beside SciPy -------------------------------------------------------------------------------------------------


def beside_scipy(names: Sequence[str], kept: Path) -> bool:
    """Medians of ROUNDS rounds in turns: the proposed schedule's code on one thread, and SciPy's CSR product."""
    good = True
    for name in [n for n in names if n in SCIPY]:
        ratios = []
        for tensor in PANEL[name].tensors:
            bench = Bench(name, tensor, kept / "scipy")
            ours, theirs = bench.runner.beside(*proposed(bench), product(bench))
            ratios.append(ours / theirs)
            print(
                f"(scipy) {name:6} {bench.words:40} {ours:8.3f} ms, SciPy {theirs:8.3f} ms, ratio {ratios[-1]:.3f}",
                flush=True,
            )
            bench.runner.close()
        print(f"(scipy) {name:6} median ratio {median(ratios):.3f}, at most {SCIPY[name]:.2f}")
        good = good and median(ratios) <= SCIPY[name]
    return good


def proposed(bench: Bench) -> tuple[TensorKernel, Configuration]:
    """What tunepass makes of the expression without a schedule, for one thread."""
    body = bench.kernel.body_as(TensorKernel)
    found = proposal(body.assignment, body.tensors, most_threads=1)
    values = Configuration({p.name: p.default for p in found.parameters})
    return replace(body, schedule=found.directives), values


def product(bench: Bench) -> Callable[[], object]:
    """SciPy's product of the CSR operand with the dense one that the kernel has."""
    stored = bench.data.stored[bench.operand]
    crd, pos = stored.levels[1].crd, stored.levels[1].pos
    matrix = scipy.sparse.csr_matrix((bench.runner.arrays[f"{bench.operand}:vals"], crd, pos), shape=stored.extents)
    (other,) = (key for key in bench.runner.arrays if key.endswith(":vals") and key != f"{bench.operand}:vals")
    dense = bench.runner.arrays[other]
    dense = dense.reshape(stored.extents[1], -1) if dense.size > stored.extents[1] else dense
    return lambda: matrix @ dense


# --- the experts ---------------------------------------------------------------------------------------------------


def experts(names: Sequence[str], kept: Path) -> bool:
    """Each size of an expert schedule is changed alone, again and again as long as one is better on the geometric mean
    of the kernel's tensors; the orders stay what the advice says."""
    good = True
    for name in names:
        benches = [Bench(name, tensor, kept) for tensor in PANEL[name].tensors]
        advised = Configuration(EXPERTS[name])
        best, least = advised, _mean_ms(benches, advised)
        first = least
        while True:
            changed = [c for c in _one_change_away(benches[0].kernel, best) if benches[0].space.contains(c)]
            times = [_mean_ms(benches, c) for c in changed]
            if min(times) >= TUNED * least:
                break
            best, least = changed[int(np.argmin(times))], min(times)
        words = {k: v for k, v in best.items() if v != advised[k]} or "nothing"
        print(f"(experts) {name:7} {first:.3f} ms; {least / first:.3f} of it by changing {words}", flush=True)
        good = good and best == advised
        for bench in benches:
            bench.runner.close()
    return good


def _mean_ms(benches: Sequence[Bench], configuration: Configuration) -> float:
    times = [bench.runner.time(configuration) for bench in benches]
    return geometric_mean(ms for ms in times if ms is not None) if all(times) else float("inf")


def _one_change_away(kernel: Kernel, values: Configuration) -> list[Configuration]:
    return [
        Configuration({**values, p.name: value})
        for p in kernel.parameters
        if not isinstance(p, Permutation)
        for value in p.domain
        if value != values[p.name]
    ]


# --- searches -----------------------------------------------------------------------------------------------------


def searches(names: Sequence[str], options: argparse.Namespace, kept: Path) -> bool:
    """Each method on each tensor with each seed; what is done is read from the folder."""
    good = True
    for name in names:
        for tensor in PANEL[name].tensors[: options.tensors]:
            bench = Bench(name, tensor, kept)
            found = kept / f"{name}.{bench.words}.searches.json"
            runs: dict[str, list[float | None]] = json.loads(found.read_text()) if found.exists() else {}
            runs["expert"] = [bench.runner.time(Configuration(EXPERTS[name]))]
            for seed in range(options.seeds):
                for method in options.methods.split(","):
                    if f"{method} {seed}" not in runs:
                        runs[f"{method} {seed}"] = search(bench.problem, method, seed, BUDGET[name], options.python)
                        found.write_text(json.dumps(runs))
            bench.runner.close()
            found.write_text(json.dumps(runs))
    for name in names:
        good = report(name, kept) and good
        if options.pictures is not None:
            picture(name, kept, options.pictures / f"taco-{name}.svg")
    return overall(names, kept) and good


def runs_of(name: str, kept: Path) -> dict[str, dict[str, list[float | None]]]:
    """By tensor, then by `METHOD SEED`."""
    files = sorted(kept.glob(f"{name}.*.searches.json"))
    return {path.name.removesuffix(".searches.json"): json.loads(path.read_text()) for path in files}


def report(name: str, kept: Path) -> bool:
    """Expert's time over the best so far at thirds of the budget, and evaluations until the expert's time."""
    budget = BUDGET[name]
    reached: dict[str, list[float]] = {}
    shares: dict[str, list[list[float]]] = {}
    for runs in runs_of(name, kept).values():
        (expert,) = runs["expert"]
        assert expert is not None
        for key, times in runs.items():
            method = key.split()[0]
            if method == "expert":
                continue
            best = best_so_far(times)
            shares.setdefault(method, []).append(
                [expert / best[min(len(best), budget * k // 3) - 1] for k in (1, 2, 3)]
            )
            hits = [k + 1 for k, ms in enumerate(best) if ms <= expert]
            reached.setdefault(method, []).append(hits[0] if hits else budget + 1)
    for method, rows in shares.items():
        means = [geometric_mean(max(1e-9, row[k]) for row in rows) for k in range(3)]
        print(
            f"(search) {name:7} {method:9} {means[0]:.3f} {means[1]:.3f} {means[2]:.3f}  "
            f"expert reached after {median(reached[method]):5.1f} of {budget}, {len(rows)} runs"
        )
    auto = reached.get("auto", [])
    return bool(auto) and median(auto) <= WITHIN and geometric_mean(row[2] for row in shares["auto"]) > 1


def picture(name: str, kept: Path, path: Path) -> None:
    budget, curves = BUDGET[name], dict[str, list[list[float]]]()
    for runs in runs_of(name, kept).values():
        (expert,) = runs["expert"]
        assert expert is not None
        for key, times in runs.items():
            if key != "expert":
                best = best_so_far(times)
                padded = [best[min(k, len(best) - 1)] for k in range(budget)]
                curves.setdefault(key.split()[0], []).append([max(1e-9, expert / ms) for ms in padded])
    means = {method: [geometric_mean(at) for at in zip(*rows)] for method, rows in curves.items()}
    write_picture(path, f"{name}: {len(curves['auto'])} searches by each", means)


def overall(names: Sequence[str], kept: Path) -> bool:
    """Geometric means over all kernels, tensors and seeds that all methods ran: each over `auto`, with its error."""
    logs: dict[str, list[list[float]]] = {}
    evaluations: dict[str, list[float]] = {"auto": [], "plain": []}
    for name in names:
        budget = BUDGET[name]
        for runs in runs_of(name, kept).values():
            (expert,) = runs["expert"]
            for seed in sorted({key.split()[1] for key in runs if " " in key}):
                if any(f"{method} {seed}" not in runs for method in METHODS):
                    continue
                for method in METHODS:
                    best = best_so_far(runs[f"{method} {seed}"])
                    marks = [best[min(len(best), budget * k // 3) - 1] for k in (1, 2, 3)]
                    logs.setdefault(method, []).append([float(np.log(ms)) for ms in marks])
                    if method in evaluations:
                        hits = [k + 1 for k, ms in enumerate(best) if expert is not None and ms <= expert]
                        evaluations[method].append(hits[0] if hits else budget + 1)
    good = True
    for method in METHODS[1:]:
        if method in logs:
            ahead = np.array(logs[method]) - np.array(logs["auto"])  # (runs, 3)
            mean, error = ahead.mean(axis=0), ahead.std(axis=0, ddof=1) / np.sqrt(len(ahead))
            words = ", ".join(f"{np.exp(m):.3f} (+- {e:.3f})" for m, e in zip(mean, error))
            print(f"(search) {method} over auto at 1/3, 2/3 and all of the budget, {len(ahead)} pairs: {words}")
            good = good and bool((mean > 0).all()) if method != "plain" else good
    if evaluations["plain"]:
        ratio = geometric_mean(evaluations["auto"]) / geometric_mean(evaluations["plain"])
        print(
            f"(search) evaluations to the expert's time, with the model over without: {ratio:.2f}, at most {INFORMED}"
        )
        good = good and ratio <= INFORMED
    return good


def wall(evaluations: int) -> bool:
    """The share of a build's wall time that compilers and kernels have."""
    with tempfile.TemporaryDirectory(prefix="tunepass-taco-wall-") as folder:
        command = [sys.executable, "-m", "tunepass", "build", str(SAMPLES / "spmm.taco"), "-o", folder]
        options = ["--max-evals", str(evaluations), "--store", f"{folder}/store.db", "--format", "json"]
        done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    seconds = json.loads(done.stdout)["seconds"]
    share = sum(s for stage, s in seconds.items() if stage not in ("total", "strategy")) / seconds["total"]
    words = ", ".join(f"{stage} {value:.1f} s" for stage, value in seconds.items())
    print(f"(wall) {words}: {share:.0%} in compilers and kernels, at least {BUSY:.0%}")
    return share >= BUSY


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--tensors", type=int, default=3, help="of each kernel's panel that are searched on")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--python", default=sys.executable, help="of the environment that has Optuna and OpenTuner")
    parser.add_argument("--pictures", type=Path, help="the folder for a picture of each kernel's searches")
    parser.add_argument("--kept", type=Path, default=CACHE, help="the folder of what was measured")
    options = parser.parse_args()
    options.kept.mkdir(parents=True, exist_ok=True)
    names = options.kernels.split(",")
    parts: dict[str, Callable[[], bool]] = {
        "sizes": lambda: sizes(names),
        "right": lambda: right(names, options.schedules, options.kept),
        "scipy": lambda: beside_scipy(names, options.kept),
        "experts": lambda: experts(names, options.kept),
        "search": lambda: searches(names, options, options.kept),
        "wall": lambda: wall(60),
    }
    held = [parts[part]() for part in options.only.split(",")]
    print("all bounds hold" if all(held) else "a bound does not hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
