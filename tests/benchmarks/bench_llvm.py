"""Eight functions of LLVM: tunepass, the default pipeline of level 3, and OpenTuner in one run.

    python -m tests.benchmarks.bench_llvm [--evaluations 60] [--seed 0] [--kernels syrk,mvt] [--without-opentuner]

The eight were named before anything was tuned; the thresholds that tunepass offers were chosen on others
(llvm/development). OpenTuner has the same parameters and evaluator, and as many evaluations as `max_evals`; tunepass
has final rounds and trials that simplify its choice besides. Level 3 has the same target processor and all of its
switches on. At the end the three are measured in turns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

import tunepass as tp
from tests.benchmarks.bench_applications import PEERS
from tunepass.integrations import llvm
from tunepass.integrations.llvm.evaluator import ModuleRun

HERE = Path(__file__).parent / "llvm"
CLANG = ("clang", "-O0", "-Xclang", "-disable-O0-optnone", "-S", "-emit-llvm")
ROUNDS = 15
AHEAD = 0.01  # of the time, beyond which one counts as ahead of another
Arguments = Mapping[str, "llvm.Scalar | llvm.Array"]
KERNELS: Mapping[str, Arguments] = {
    "syrk": {
        "n": llvm.Scalar(96),
        "a": llvm.Array("double", "n * n", "in"),
        "c": llvm.Array("double", "n * n"),
    },
    "mvt": {
        "n": llvm.Scalar(256),
        "a": llvm.Array("double", "n * n", "in"),
        "x": llvm.Array("double", "n", "in"),
        "y": llvm.Array("double", "n"),
    },
    "jacobi": {
        "n": llvm.Scalar(256),
        "a": llvm.Array("float", "n * n", "in"),
        "b": llvm.Array("float", "n * n"),
    },
    "conv": {
        "n": llvm.Scalar(128),
        "image": llvm.Array("i16", "n * n", "in"),
        "weight": llvm.Array("i16", 25, "in"),
        "out": llvm.Array("i32", "n * n"),
    },
    "adler": {
        "n": llvm.Scalar(20_000),
        "data": llvm.Array("i8", "n", "in"),
        "out": llvm.Array("i32", 1, "out"),
    },
    "spmv": {
        "n": llvm.Scalar(20_000),
        "value": llvm.Array("double", "8 * n", "in"),
        "column": llvm.Array("i32", "8 * n", "in", lo=0, hi="n - 1"),
        "x": llvm.Array("double", "n", "in"),
        "y": llvm.Array("double", "n", "out"),
    },
    "forces": {
        "n": llvm.Scalar(320),
        "x": llvm.Array("float", "n", "in"),
        "y": llvm.Array("float", "n", "in"),
        "fx": llvm.Array("float", "n"),
        "fy": llvm.Array("float", "n"),
    },
    "edits": {
        "n": llvm.Scalar(256),
        "a": llvm.Array("i8", "n", "in", lo=0, hi=3),
        "b": llvm.Array("i8", "n", "in", lo=0, hi=3),
        "row": llvm.Array("i32", "n + 1", "work"),
        "out": llvm.Array("i32", 1, "out"),
    },
}


@dataclass(frozen=True)
class Compared:
    """Medians in ms, measured in turns, and how each search went."""

    level_3: float
    tunepass: float
    opentuner: float | None
    changes: str
    seconds: Mapping[str, float]
    failures: Mapping[str, int]


def module(name: str, folder: Path) -> tp.Source:
    """The kernel's IR as the installed clang makes it at -O0."""
    target = folder / f"{name}.ll"
    subprocess.run([*CLANG, HERE / "kernels" / f"{name}.c", "-o", target], check=True)
    return tp.Source(target.name, target.read_text())


def by_opentuner(problem: llvm.Problem, space: tp.Space, evaluations: int, seed: int, folder: Path) -> tp.Configuration:
    """The best of OpenTuner's configurations; it knows no conditions, so values of inactive parameters are dropped."""
    values = {p.name: [p.default, *(v for v in p.domain if v != p.default)] for p in space.parameters}  # type: ignore[union-attr]
    best, least = space.default, math.inf
    with problem.evaluator(problem.kernel) as evaluate:
        words = [sys.executable, str(PEERS.resolve()), "opentuner", str(seed)]
        with subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer:
            assert peer.stdin and peer.stdout
            peer.stdin.write(json.dumps(values).encode() + b"\n")
            peer.stdin.flush()
            for _ in range(evaluations):
                if not (line := peer.stdout.readline()):
                    raise SystemExit("OpenTuner ended early")
                configuration = space.completed(json.loads(line))
                outcome = evaluate(configuration).outcome
                value = outcome.values["time"] if isinstance(outcome, tp.Measured) else math.inf
                if value < least:
                    best, least = configuration, value
                peer.stdin.write(b"fail\n" if value == math.inf else f"{value}\n".encode())
                peer.stdin.flush()
            peer.kill()
    return best


def compare(name: str, evaluations: int, seed: int, with_opentuner: bool, folder: Path) -> Compared:
    problem = llvm.Problem(llvm.Function(module(name, folder), name, KERNELS[name]))
    started = time.monotonic()
    result = problem.pipeline(max_evals=evaluations, seed=seed).run(problem.kernel)
    seconds = {"tunepass": time.monotonic() - started}
    space = tp.Space(problem.kernel.parameters)
    choices = [space.default, result.choice]
    if with_opentuner:
        started = time.monotonic()
        choices.append(by_opentuner(problem, space, evaluations, seed, folder))
        seconds["OpenTuner"] = time.monotonic() - started
    with problem.evaluator(problem.kernel) as run:
        assert isinstance(run, ModuleRun)
        distinct = list(dict.fromkeys(choices))
        medians = dict(zip(distinct, map(median, run.compare_again(distinct, rounds=ROUNDS))))
        values = [medians[choice] for choice in choices]
    changes = ", ".join(f"{n} = {v}" for n, v in result.choice.items() if space.default.get(n) != v)
    found = result.found
    assert found is not None
    return Compared(
        values[0], values[1], values[2] if with_opentuner else None, changes or "the default", seconds, found.failures
    )


def line(name: str, compared: Compared) -> str:
    peer = compared.opentuner
    cells = [name, f"{compared.level_3:.4g}", f"{compared.tunepass:.4g}", "-" if peer is None else f"{peer:.4g}"]
    cells += [f"{compared.level_3 / compared.tunepass:.2f}", "-" if peer is None else f"{peer / compared.tunepass:.2f}"]
    return f"| {' | '.join([*cells, compared.changes])} |"


def summary(results: Sequence[Compared]) -> str:
    gains = [result.level_3 / result.tunepass for result in results]
    ahead = sum(gain > 1 + AHEAD for gain in gains)
    text = f"ahead of level 3 on {ahead} of {len(gains)}, in geometric mean by {geometric_mean(gains):.2f}"
    peers = [result.opentuner / result.tunepass for result in results if result.opentuner is not None]
    if peers:
        text += f"; beside OpenTuner {geometric_mean(peers):.2f}"
    failed = sum(sum(result.failures.values()) for result in results)
    spent = {who: round(sum(r.seconds[who] for r in results)) for who in results[0].seconds}
    return f"{text}; {failed} candidates failed; seconds of the searches {spent}"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--without-opentuner", action="store_true")
    options = parser.parse_args(words)
    names = options.kernels.split(",")
    if unknown := set(names) - set(KERNELS):
        parser.error(f"no kernel {', '.join(unknown)}; there are {', '.join(KERNELS)}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(
        "| function | level 3, ms | tunepass, ms | OpenTuner, ms | level 3 / tunepass | OpenTuner / tunepass | choice |"
    )
    print("|---|---|---|---|---|---|---|")
    results = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            results.append(
                compare(name, options.evaluations, options.seed, not options.without_opentuner, Path(folder))
            )
        print(line(name, results[-1]), flush=True)
    print(summary(results))


if __name__ == "__main__":
    main()
