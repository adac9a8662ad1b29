"""Exact Pareto fronts (cycles, ALMs) of the seven programs by branch and bound, checked by enumeration where asked.

    python tests/benchmarks/bench_fronts.py [NAME ...] [--exhaust POINTS] [--jobs N] [--seconds S] [--extrapolate]

Spaces of at most POINTS configurations are also enumerated, and the two fronts compared. A search that passes S seconds
is stopped, and reported as such. Of each front, the largest share of the board's bandwidth that a point needs is told.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from tunepass.diagnostics import Source
from tunepass.exact.base import Certificate
from tunepass.exact.branch_and_bound import BranchAndBound
from tunepass.exact.enumeration import Enumeration
from tunepass.expr import numpy_eval
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.bandwidth import Bandwidth
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir.hardware import Program
from tunepass.space.space import Space

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
NAMES = ("BlackScholes", "KMeans", "OuterProduct", "DotProduct", "GEMM", "TPCHQ6", "GDA")


class OutOfTime(Exception):
    """The search passed its seconds."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("names", nargs="*", default=NAMES)
    arguments.add_argument("--exhaust", type=float, default=0)
    arguments.add_argument("--jobs", type=int, default=2, help="threads of the enumeration")
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--extrapolate", action="store_true", help="what the model was fitted to nothing like too")
    given = arguments.parse_args()
    for name in given.names:
        path = SAMPLES / f"{name}.scala"
        (kernel,) = SpatialFrontend().parse(Source(path.name, path.read_text())).kernels
        program, device = kernel.body_as(Program), load("stratix-v")
        model = costs(program, device)
        kept = [model.fits] if given.extrapolate else [model.fits, model.within_fit]
        space, objectives = Space(kernel.parameters), [model.values["cycles"], model.values["alms"]]
        start = time.perf_counter()

        def stop(c: Certificate, start: float = start) -> None:
            if time.perf_counter() - start > given.seconds:
                raise OutOfTime(str(c))

        try:
            front = BranchAndBound().solve(space, objectives, kept, progress=stop)
        except OutOfTime as error:
            print(f"{name}: stopped after {given.seconds:.0f} s: {error}", flush=True)
            continue
        c = front.certificate
        print(f"{name}: {len(front.values)} points in {time.perf_counter() - start:.1f} s; ", end="")
        print(f"of {c.points:,} configurations {c.evaluated:,} evaluated ({c.evaluated / c.points:.3%}), ", end="")
        print(f"{c.infeasible:,} infeasible, {c.bounded:,} bounded", flush=True)
        columns = space.columns(list(front.configurations))
        moved = Bandwidth(program, device).bytes_of(program.accel)
        bytes_moved = np.asarray(numpy_eval.evaluate(moved, columns, len(front.values)).values, float)
        rate = bytes_moved / front.values[:, 0]
        most = device.dram.byte_per_cycle(device.clock_hz)
        print(f"  at most {rate.max():.0f} bytes a cycle, {rate.max() / most:.1%} of the board's", flush=True)
        if c.points <= given.exhaust:
            start, cpu = time.perf_counter(), time.process_time()
            every = Enumeration(given.jobs).solve(space, objectives, kept)
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            same = "the same front" if np.array_equal(front.values, every.values) else "DIFFERS"
            rate = c.points / cpu / 1e6
            print(f"  enumeration in {wall:.1f} s ({cpu:.1f} s of CPU, {rate:.1f} M/s): {same}", flush=True)


if __name__ == "__main__":
    main()
