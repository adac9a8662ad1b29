"""How fast a model's cycles, ALMs and feasibility are evaluated, one core: NumPy, the machine, and the whole product.

    python tests/benchmarks/bench_model_speed.py [PROGRAM] [--device D] [--points N]

Random configurations go through the NumPy reader and the native machine, before and after it has made tables; as many
neighbouring ones through `CartesianProduct`, which evaluates every subexpression once for what it depends on. The
yardstick is how fast NumPy streams a * b + c over doubles here. CPU time is measured, so other work on the machine
matters little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.expr.vm.cartesian_product import CartesianProduct
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir import hardware

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
STREAM = 1 << 24  # doubles in each of three arrays: far more than a cache holds


def rate(run: Callable[[], object], n: int, repeats: int = 5) -> float:
    """Elements a second of CPU time, the best of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return n / best


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("program", nargs="?", default="GDA")
    arguments.add_argument("--device", default="stratix-v")
    arguments.add_argument("--points", type=int, default=1 << 18)
    given = arguments.parse_args()
    path = SAMPLES / f"{given.program}.scala"
    (kernel,) = SpatialFrontend().parse(Source(path.name, path.read_text())).kernels
    model = costs(kernel.body_as(hardware.Program), load(given.device))
    area = "alms" if "alms" in model.values else "luts"
    wanted = [model.values["cycles"], model.values[area], model.fits]
    domains = {p.name: tuple(p.domain or ()) for p in kernel.parameters}
    rng, n = np.random.default_rng(0), given.points
    columns = {p.name: p.column(list(p.domain or ()))[rng.integers(p.size or 1, size=n)] for p in kernel.parameters}
    few = {name: column[: n // 8] for name, column in columns.items()}
    a, b, c = (rng.random(STREAM) for _ in range(3))
    stream = rate(lambda: a * b + c, STREAM, 5)
    print(f"NumPy streams a * b + c at {stream / 1e6:.0f} M doubles/s")
    numpy = rate(lambda: [numpy_eval.evaluate(e, few, n // 8) for e in wanted], n // 8, 2)
    program, product = CompiledExpressions(wanted, domains), CartesianProduct(wanted, domains)
    first = rate(lambda: program.run(few, n // 8), n // 8)
    plain, start_of_work = program.instructions, time.process_time()
    while program.instructions == plain and time.process_time() < start_of_work + 2:
        program.run(columns, n)
    prepared = time.process_time() - start_of_work
    machine = rate(lambda: program.run(columns, n), n)
    whole = min(n // product.run_length * product.run_length, product.size) or product.run_length
    start = product.size // product.run_length // 3 * product.run_length
    start = min(start, product.size - whole)
    streamed = rate(lambda: product.evaluate(start, whole), whole)
    print(f"{given.program} on {given.device}: cycles, {area}, fits")
    for name, found in (("NumPy reader", numpy), ("first", first), ("machine", machine), ("product", streamed)):
        against = f"{found / numpy:6.1f} x NumPy   {found / stream:.4f} of the stream"
        print(f"  {name:13} {found / 1e6:7.2f} M configurations/s   {against}")
    print(
        f"  asked: 5 x NumPy, {1e7 / 5e8:.4f} of the stream; operations: {plain}, {program.instructions} with tables "
        f"({prepared:.2f} s until they are read), {product.instructions}"
    )


if __name__ == "__main__":
    main()
