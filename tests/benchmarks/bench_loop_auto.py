"""`loop auto` beside the loops that somebody annotated by hand: which finds the faster code in the same seconds?

    python -m tests.benchmarks.bench_loop_auto [--kernels gemm,syrk] [--budget 40s] [--seeds 2]

Each kernel of tests/benchmarks/nests is built twice: as it is, with parameters for tiles, orders and copies that its
author chose, and with `loop auto` in the place of every loop line and its parameters. Default, compiler and seconds
are the same, so the gains that both builds tell are over the same code.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks.bench_trust import build, gain_of

NESTS = Path(__file__).parent / "nests"
COMPILER = ("gcc", "-O3", "-march=native", "-fopenmp-simd")
LEAST = 0.95  # of the gain by hand: what `loop auto` is held to
LOOP = re.compile(r"#pragma tunepass loop\(.*")
FLAGS = re.compile(r"#pragma tunepass param \w+:.* flag\n")  # of the compiler, which both have alike
BY_HAND = re.compile(r"#pragma tunepass (param|constraint) .*\n")


def by_hand(text: str) -> str:
    return FLAGS.sub("", text)


def automatic(text: str) -> str:
    return LOOP.sub("#pragma tunepass loop auto", BY_HAND.sub("", text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=lambda text: text.split(","), help="(default: all)")
    parser.add_argument("--budget", default="40s", help="of each build")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    print(f"gains over {' '.join(COMPILER)}, {options.budget} a build")
    print("kernel     seed  by hand     auto  auto / by hand")
    logs = []
    with tempfile.TemporaryDirectory(prefix="tunepass-auto-") as scratch:
        for source in sorted(NESTS.glob("*.c")):
            if options.kernels and source.stem not in options.kernels:
                continue
            for seed in range(options.seeds):
                gains = []
                for name, text in (("hand", by_hand(source.read_text())), ("auto", automatic(source.read_text()))):
                    copy = Path(scratch) / name / source.name
                    copy.parent.mkdir(exist_ok=True)
                    copy.write_text(text)
                    gains.append(gain_of(build(copy, options.budget, seed, COMPILER)))
                logs.append(np.log(gains[1] / gains[0]))
                words = f"{gains[0]:6.2f}x  {gains[1]:6.2f}x  {gains[1] / gains[0]:14.3f}"
                print(f"{source.stem:10} {seed:4}  {words}", flush=True)
    mean, error = float(np.mean(logs)), float(np.std(logs, ddof=1) / np.sqrt(len(logs))) if len(logs) > 1 else 0.0
    print(f"auto over by hand: {np.exp(mean):.3f} (+- {error:.3f}), geometric mean of {len(logs)} pairs")
    return 0 if np.exp(mean) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
