"""Kernels with macros, tuned by tunepass and by Kernel Tuner's C backend for the same wall time: whose is faster?

    python -m tests.benchmarks.bench_kernel_tuner --python VENV/bin/python [--budget 30] [--seeds 5] [--kernels matmul]

VENV has Kernel Tuner (`pip install kernel_tuner`). Both get the same source, values, constraints, compiler and words;
the choices of all seeds are then measured in turns with the default.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import numpy as np
from numpy.typing import NDArray

import tunepass
from tests.benchmarks.bench_trust import true_times
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.printer import to_text
from tunepass.ir.c_kernel import CKernel, KernelCall, ScalarArgument
from tunepass.space.configuration import Configuration, Value

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).parent / "kernel_tuner" / "driver.py"
CXX = ("-Drestrict=__restrict__", "-fpermissive", "-w")  # Kernel Tuner compiles C as C++
NUMPY = {"int": np.int32, "double": np.float64}


@dataclass(frozen=True)
class Problem:
    """A sample without the lines that name `dropped`: parameters that a macro cannot carry."""

    sample: str
    compiler: tuple[str, ...] = ("gcc", "-O3", "-march=native")
    dropped: str = ""

    def write(self, folder: Path) -> Path:
        lines = (ROOT / "samples/c" / f"{self.sample}.c").read_text().splitlines(keepends=True)
        dropped = f"#pragma tunepass param {self.dropped}:"
        kept = [line for line in lines if not (self.dropped and line.startswith(dropped))]
        source = folder / f"{self.sample}.c"
        source.write_text("".join(kept))
        return source


PROBLEMS = {
    "matmul": Problem("matmul"),
    "stencil": Problem("stencil", ("gcc", "-O3", "-march=native", "-fopenmp"), "OPT"),
    "spmv": Problem("spmv"),
}


def numbers(call: KernelCall, seed: int) -> tuple[list[int | str], dict[str, NDArray[np.generic]]]:
    """The arguments in order, arrays by name: filled as the source says, else at random in their range."""
    rng = np.random.default_rng(seed)
    scalars: dict[str, NDArray[np.int64]] = {}
    arguments: list[int | str] = []
    arrays: dict[str, NDArray[np.generic]] = {}
    for argument in call.arguments:
        if isinstance(argument, ScalarArgument):
            value = int(evaluate(argument.value, scalars, 1).values[0])
            scalars[argument.name] = np.array([value])
            arguments.append(value)
            continue
        length = int(evaluate(argument.length, scalars, 1).values[0])
        if argument.fill is not None:
            wide = {name: np.full(length, v[0]) for name, v in scalars.items()} | {"i": np.arange(length)}
            values = evaluate(argument.fill, wide, length).values
        else:
            bounds = ((argument.lo, -1.0), (argument.hi, 1.0))
            lo, hi = (usual if e is None else float(evaluate(e, scalars, 1).values[0]) for e, usual in bounds)
            whole = argument.element == "int"
            values = rng.integers(int(lo), int(hi) + 1, length) if whole else rng.uniform(lo, hi, length)
        arrays[argument.name] = np.asarray(values).astype(NUMPY[argument.element])
        arguments.append(argument.name)
    return arguments, arrays


def ours(source: Path, problem: Problem, budget: float, seed: int) -> tuple[Configuration, int]:
    options = ("--budget", f"{budget:.0f}s", "--seed", str(seed), "--format", "json", "-o", str(source.parent / "out"))
    store = ("--store", str(source.parent / f"{seed}.db"))
    command = [sys.executable, "-m", "tunepass", "build", str(source), *options, *store, "--", *problem.compiler]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    (source.parent / "tunepass.lock").unlink(missing_ok=True)
    (source.parent / "out" / "tunepass.lock").unlink(missing_ok=True)
    return Configuration(answer["choice"]), int(answer["evaluations"])


def theirs(source: Path, problem: Problem, options: argparse.Namespace, seed: int) -> tuple[Configuration, int]:
    kernel = tunepass.load(source)
    call = kernel.body_as(CKernel).call
    assert call is not None
    arguments, arrays = numbers(call, seed)
    np.savez(source.parent / "arrays.npz", **arrays)
    described = {
        "source": source.read_text(),
        "function": call.function,
        "prototype": call.prototype[call.prototype.index("(") + 1 : call.prototype.rindex(")")],
        "names": ", ".join(argument.name for argument in call.arguments),
        "arguments": arguments,
        "arrays": str(source.parent / "arrays.npz"),
        "parameters": {p.name: [_plain(value) for value in p.domain] for p in kernel.parameters},
        "constraints": [to_text(constraint.expression) for constraint in kernel.constraints],
        "compiler": problem.compiler[0],
        "words": [*problem.compiler[1:], *CXX],
        "strategy": options.strategy,
        "seconds": options.budget,
        "seed": seed,
    }
    description = source.parent / "described.json"
    description.write_text(json.dumps(described))
    command = [options.python, str(DRIVER), str(description)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=source.parent)
    answer = json.loads(done.stdout.splitlines()[-1])
    values = {p.name: _typed(answer["choice"][p.name], p.domain) for p in kernel.parameters}
    return Configuration(values), int(answer["evaluations"])


def _plain(value: Value) -> int | float | str:
    """As a macro has it."""
    assert not isinstance(value, tuple)
    return int(value) if isinstance(value, bool) else value


def _typed(value: object, domain: Sequence[Value]) -> Value:
    return next(own for own in domain if _plain(own) == value)


def compare(name: str, options: argparse.Namespace, folder: Path) -> float:
    """The geometric mean over the seeds of their time over ours."""
    problem = PROBLEMS[name]
    source = problem.write(folder)
    ours_, theirs_ = [], []
    for seed in range(options.seeds):
        ours_.append(ours(source, problem, options.budget, seed))
        theirs_.append(theirs(source, problem, options, seed))
    kernel = tunepass.load(source)
    default = Configuration({p.name: p.default for p in kernel.parameters})
    choices = [choice for choice, _ in (*ours_, *theirs_)]
    base, *times = true_times(source, [default, *choices], problem.compiler)
    ratios = []
    for seed, (own, other) in enumerate(zip(ours_, theirs_)):
        own_ms, other_ms = times[seed], times[options.seeds + seed]
        ratios.append(other_ms / own_ms)
        gains = f"{base / own_ms:6.2f}x {base / other_ms:6.2f}x {ratios[-1]:6.3f}"
        print(f"{name:10} {seed:4} {gains}   {own[1]:5} {other[1]:5}  {dict(own[0])}  {dict(other[0])}", flush=True)
    return geometric_mean(ratios)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="of the environment that has Kernel Tuner")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--kernels", default=",".join(PROBLEMS))
    parser.add_argument("--strategy", default="genetic_algorithm", help="Kernel Tuner's")
    options = parser.parse_args()
    means = {}
    print(f"{'kernel':10} seed    ours  theirs  ratio  evaluations of both, their choices")
    for name in options.kernels.split(","):
        with tempfile.TemporaryDirectory(prefix="tunepass-kt-") as folder:
            means[name] = compare(name, options, Path(folder))
        print(f"{name:10} theirs over ours {means[name]:.3f}", flush=True)
    ahead = sum(mean > 1 for mean in means.values())
    print(f"ahead on {ahead} of {len(means)}, in geometric mean {geometric_mean(means.values()):.3f}")
    return 0 if ahead == len(means) else 1


if __name__ == "__main__":
    sys.exit(main())
