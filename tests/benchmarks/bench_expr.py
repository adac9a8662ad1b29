"""Expression throughput: the native machine against NumPy, one core, 10^7 configurations of a 100-node expression.

NumPy is measured twice: as a hand-written NumPy expression without any checks, over the whole columns and over blocks
that fit the cache (its best case), and as the reference reader, which checks what the machine checks.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import numpy_eval
from tunepass.expr.domain import Domain
from tunepass.expr.nodes import INTEGER, Type, walk
from tunepass.expr.parser import parse
from tunepass.expr.vm.compiled_expressions import CompiledExpressions

ROWS, BLOCK = 10_000_000, 65_536
POWERS = tuple(2**k for k in range(11))
BOX: dict[str, Domain] = dict.fromkeys("abcdefgh", POWERS)
NAMES: dict[str, Type] = dict.fromkeys(BOX, INTEGER)
# Shaped like the constraints and footprints of blocked GPU kernels: products, sums, bounds and divisibility.
TEXT = """
(a * c * 4 + b * d * 4 + a * b * 8) * e + g * 16 <= 49152 * h + 1024 and (a * b) % (c * d) == 0
and a % e == 0 and b * f >= c * d and (a // e) * (b // f) <= 1024 and (c + d) * (e + f) < 4096 * g
and max(a, b) * min(c, d) <= 8192 * e and (a * b + 31) // 32 * h <= 65536 and (g + h - 1) // h * c * d <= 2 ** 20
and (a + b + c + d) * 4 < 65536 - e * f and abs(a - b) * g < 16384 * h
"""


def in_numpy(v: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    a, b, c, d, e, f, g, h = (v[name] for name in "abcdefgh")
    return (  # type: ignore[no-any-return]
        ((a * c * 4 + b * d * 4 + a * b * 8) * e + g * 16 <= 49152 * h + 1024)
        & ((a * b) % (c * d) == 0)
        & (a % e == 0)
        & (b * f >= c * d)
        & ((a // e) * (b // f) <= 1024)
        & ((c + d) * (e + f) < 4096 * g)
        & (np.maximum(a, b) * np.minimum(c, d) <= 8192 * e)
        & ((a * b + 31) // 32 * h <= 65536)
        & ((g + h - 1) // h * c * d <= 2**20)
        & ((a + b + c + d) * 4 < 65536 - e * f)
        & (np.abs(a - b) * g < 16384 * h)
    )


def in_blocks(v: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    found = np.empty(len(v["a"]), bool)
    for at in range(0, len(found), BLOCK):
        found[at : at + BLOCK] = in_numpy({name: column[at : at + BLOCK] for name, column in v.items()})
    return found


def seconds(run: Callable[[], NDArray[np.bool_]], repeats: int) -> tuple[float, NDArray[np.bool_]]:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        found = run()
        best = min(best, time.perf_counter() - start)
    return best, found


def main() -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.choice(np.array(POWERS), ROWS) for name in BOX}
    e = parse(TEXT, NAMES)
    nodes = sum(1 for _ in walk(e))
    start = time.perf_counter()
    program = CompiledExpressions([e], BOX)
    build = time.perf_counter() - start
    native, found = seconds(lambda: program.satisfied(columns, ROWS), 3)
    whole, wanted = seconds(lambda: in_numpy(columns), 1)
    blocked, _ = seconds(lambda: in_blocks(columns), 1)
    few = ROWS // 10
    checked, _ = seconds(lambda: numpy_eval.satisfied(e, {k: v[:few] for k, v in columns.items()}, few), 1)
    assert np.array_equal(found, wanted)
    print(f"{nodes} nodes, {ROWS:.0e} configurations, {found.mean():.1%} satisfied; built in {build * 1e6:.0f} us")
    print(f"native           {native:6.3f} s   {ROWS / native / 1e6:6.1f} M configurations/s")
    print(f"NumPy            {whole:6.3f} s   native is {whole / native:5.1f}x as fast")
    print(f"NumPy in blocks  {blocked:6.3f} s   native is {blocked / native:5.1f}x as fast")
    print(f"NumPy reference  {checked * 10:6.3f} s   native is {checked * 10 / native:5.1f}x as fast (on a tenth)")


if __name__ == "__main__":
    main()
