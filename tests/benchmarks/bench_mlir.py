"""Modules of MLIR whose knobs tunepass chooses, beside the same loops in C with `loop auto`.

    python -m tests.benchmarks.bench_mlir [--evaluations 40] [--budget 40s] [--seeds 3]

The modules are those of samples/mlir, judged by price.py: MLIR lowers and compiles them for this processor, and the
least time of a call counts. The loops in C are built with `gcc -O3 -march=native -ffast-math`, which lets sums be
reordered as the vectors of MLIR do. Needs torch-mlir's wheel.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean

from torch_mlir import ir

from tests.benchmarks.bench_trust import build
from tunepass.integrations import mlir

HERE, SAMPLES = Path(__file__).parent / "mlir", Path(__file__).parents[2] / "samples/mlir"
COMPILER = ("gcc", "-O3", "-march=native", "-ffast-math")
LEAST = 0.8  # of what the loops in C reach


def by_knobs(name: str, evaluations: int, seed: int) -> tuple[float, float, str]:
    """Milliseconds of the module as it came and as chosen, and the choice."""
    command = mlir.Command(shlex.join([sys.executable, str(SAMPLES / "price.py"), "{}"]))
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse((SAMPLES / f"{name}.mlir").read_text())
        result = mlir.tune(module, command, max_evals=evaluations, seed=seed)
    assert result.found is not None
    gain = result.found.gains[0]
    return gain.default or 0.0, gain.chosen, " ".join(f"{key}={value}" for key, value in result.choice.items())


def by_loops(name: str, budget: str, seed: int, scratch: Path) -> tuple[float, float]:
    """Milliseconds of the loops in C as written and as chosen."""
    source = scratch / f"{name}.c"
    shutil.copy(HERE / source.name, source)
    time = build(source, budget, seed, COMPILER)["objectives"]["time"]  # type: ignore[index]
    return float(time["default"]), float(time["chosen"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=40)
    parser.add_argument("--budget", default="40s", help="of each build of the loops in C")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print("kernel   seed  module, ms  chosen, ms  C, ms   loop auto, ms  speed beside loop auto")
    ratios = []
    with tempfile.TemporaryDirectory(prefix="tunepass-mlir-") as scratch:
        for name in ("matmul", "stencil"):
            for seed in range(options.seeds):
                before, after, choice = by_knobs(name, options.evaluations, seed)
                plain, tuned = by_loops(name, options.budget, seed, Path(scratch))
                ratios.append(tuned / after)
                row = f"{before:10.4f}  {after:10.4f}  {plain:6.4f}  {tuned:13.4f}  {ratios[-1]:7.2f}"
                print(f"{name:8} {seed:4}  {row}   {choice}", flush=True)
    print(f"geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}; asked {LEAST}")
    return 0 if min(ratios) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
