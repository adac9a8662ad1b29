"""A compiler of sixty lines that asks tunepass for the schedule of its loops. `python toycc.py`; docs/embedding.md."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import tunepass as tp

VERSION = "toycc 1.0"
LINE, LINES, HIT, MISS, BRANCH, REGISTERS = 4, 16, 1, 12, 3, 16  # of the machine that it compiles for


class Spill(Exception):
    """The registers do not suffice for the unrolled body."""


@dataclass(frozen=True)
class Nest:
    """The compiler's own representation: `arrays[0] += arrays[1] * arrays[2]` in loops over square arrays."""

    name: str
    loops: tuple[tuple[str, int], ...]  # index and extent, outermost first
    arrays: tuple[tuple[str, str, str], ...]  # name and indices


Cost = Callable[[Nest, tp.Configuration], float]
MATMUL = Nest("matmul", (("i", 8), ("j", 8), ("k", 8)), (("C", "i", "j"), ("A", "i", "k"), ("B", "k", "j")))


def lower(nest: Nest, schedule: tp.Configuration) -> list[tuple[str, int, int]]:
    """Loops as (index, extent, step): in the chosen order, the innermost one tiled around all others."""
    *outer, (index, extent) = (nest.loops[place] for place in schedule["order"])
    return [(index, extent, schedule["tile"]), *((i, n, 1) for i, n in outer), (index, schedule["tile"], 1)]


def cycles(nest: Nest, schedule: tp.Configuration) -> float:
    """Cycles of the lowered nest on a machine with a small direct-mapped cache."""
    if schedule["unroll"] * len(nest.arrays) > REGISTERS:
        raise Spill(f"{schedule['unroll'] * len(nest.arrays)} values, {REGISTERS} registers")
    loops, cache, total = lower(nest, schedule), dict[int, tuple[str, int]](), 0.0
    for point in itertools.product(*(range(0, extent, step) for _, extent, step in loops)):
        index = Counter[str]()
        for (name, _, _), value in zip(loops, point):
            index[name] += value
        for number, (array, row, column) in enumerate(nest.arrays):
            line = (array, (index[row] * nest.loops[0][1] + index[column]) // LINE)
            place = (line[1] + 5 * number) % LINES
            total += HIT if cache.get(place) == line else MISS
            cache[place] = line
        total += BRANCH / schedule["unroll"]
    return total


def emit(kernel: tp.Kernel, note: str) -> tuple[tp.EmittedFile, ...]:
    schedule = ", ".join(f"{choice.parameter}={choice.value}" for choice in kernel.schedule)
    return (tp.EmittedFile(f"{kernel.name}.tuned.toy", f"# {note.splitlines()[0]}\n{kernel.name} {schedule}\n"),)


def compile_nest(
    nest: Nest, cost: Cost = cycles, *, seed: int = 0, stop: Callable[[], bool] = lambda: False
) -> tp.Result:
    """The nest with the schedule that tunepass chooses by its `cost`."""
    order = tp.Permutation("order", len(nest.loops))
    tile, unroll = tp.Ordinal("tile", [2, 4, 8], default=8), tp.Ordinal("unroll", [1, 2, 4, 8])
    kernel = tp.Kernel(
        name=nest.name,
        language="toy",
        source=tp.Source(f"{nest.name}.toy", repr(nest)),
        parameters=(order, tile, unroll),
        constraints=(tp.Constraint.parse("tile % unroll == 0", (order, tile, unroll)),),
    )
    pipeline = tp.Pipeline.default(
        evaluate=lambda kernel, schedule: cost(nest, schedule),
        catch=Spill,
        emitter=emit,
        objectives=[tp.Objective("cycles")],
        identity={"compiler": VERSION},
        max_evals=20,
        seed=seed,
        stop=stop,
    )
    return pipeline.run(kernel)


if __name__ == "__main__":
    result = compile_nest(MATMUL)
    print(result.source, end="")
    print(result.found.gains[0].sentence(), dict(result.found.failures))
