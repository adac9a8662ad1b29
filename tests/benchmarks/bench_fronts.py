"""Exact Pareto fronts (cycles, ALMs) of the seven programs by branch and bound, checked by exhaustion where asked.

    python tests/benchmarks/bench_fronts.py [NAME ...] [--exhaust POINTS] [--seconds S]

Spaces of at most POINTS configurations are also enumerated, and the two fronts compared. A search that passes S seconds
is stopped, and reported as such.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr
from tunepass.expr.program import Program
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir.kernel import Kernel
from tunepass.strategies.branch_and_bound import Certificate, pareto_front
from tunepass.study.pareto import nondominated

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
NAMES = ("BlackScholes", "KMeans", "OuterProduct", "DotProduct", "GEMM", "TPCHQ6", "GDA")
CHUNK = 1 << 20


class OutOfTime(Exception):
    """The search passed its seconds."""


def exhaust(kernel: Kernel, objectives: list[Expr], fits: Expr) -> NDArray[np.float64]:
    """The front by evaluating every configuration."""
    program = Program([*objectives, fits])
    sizes = [p.size or 0 for p in kernel.parameters]
    domains = [p.column(list(p.domain)) for p in kernel.parameters]
    best = np.empty((0, len(objectives)))
    for start in range(0, math.prod(sizes), CHUNK):
        flat = np.arange(start, min(start + CHUNK, math.prod(sizes)))
        places = np.unravel_index(flat, sizes)
        columns = {p.name: d[i] for p, d, i in zip(kernel.parameters, domains, places)}
        *values, holds = program.run(columns, len(flat))
        losses = np.stack([np.asarray(v, dtype=float) for v in values], axis=1)[np.asarray(holds, dtype=bool)]
        best = np.unique(np.concatenate([best, losses[nondominated(losses)]]), axis=0)
        best = best[nondominated(best)]
    return best


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("names", nargs="*", default=NAMES)
    arguments.add_argument("--exhaust", type=float, default=0)
    arguments.add_argument("--seconds", type=float, default=600)
    given = arguments.parse_args()
    for name in given.names:
        path = SAMPLES / f"{name}.scala"
        (kernel,) = SpatialFrontend().parse(Source(path.name, path.read_text())).kernels
        assert kernel.program is not None
        model = costs(kernel.program, load("stratix-v"))
        objectives = [model.values["cycles"], model.values["alms"]]
        start = time.perf_counter()

        def stop(c: Certificate, start: float = start) -> None:
            if time.perf_counter() - start > given.seconds:
                raise OutOfTime(str(c))

        try:
            front = pareto_front(kernel.parameters, objectives, [model.fits], progress=stop)
        except OutOfTime as error:
            print(f"{name}: stopped after {given.seconds:.0f} s: {error}", flush=True)
            continue
        c = front.certificate
        print(f"{name}: {len(front.values)} points in {time.perf_counter() - start:.1f} s; ", end="")
        print(f"of {c.points:,} configurations {c.evaluated:,} evaluated ({c.evaluated / c.points:.3%}), ", end="")
        print(f"{c.infeasible:,} infeasible, {c.bounded:,} bounded", flush=True)
        if c.points <= given.exhaust:
            start = time.perf_counter()
            same = np.array_equal(front.values, exhaust(kernel, objectives, model.fits))
            print(
                f"  exhaustion in {time.perf_counter() - start:.1f} s: {'the same front' if same else 'DIFFERS'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
