"""From a nest's directives and a configuration to the loops to be written, from the outside in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tunepass.ir.loops import Directives, Factor, Loop, Nest, Setting
from tunepass.space.configuration import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One loop of the result: the loop over a source loop's tiles of `tile` iterations, or the one over its points.

    `tile` is 1 where the source loop is not tiled; `copies` > 1 unrolls, side by side in the innermost body if `jam`.
    """

    loop: Loop
    over_tiles: bool = False
    tile: int = 1
    copies: int = 1
    jam: bool = False
    vectorize: bool = False
    parallel: bool = False
    hindered: str = ""  # the parallel loop inside that keeps this one from being vectorized


def plan(nest: Nest, values: Mapping[str, Value]) -> tuple[Step, ...]:
    """The loops that `values` ask for. A tile size or unroll factor of 0 or 1 leaves the loop as it is."""
    directives = nest.directives
    loops = {loop.index: loop for loop in nest.loops}
    tiles = {f.index: size for f in directives.tile if (size := _number(f.setting, values)) > 1}
    unroll = _chosen(directives.unroll, values)
    jam = _chosen(directives.unroll_and_jam, values)
    vectorize, parallel = _flagged(directives.vectorize, values), _flagged(directives.parallel, values)
    steps: list[Step] = []
    for item in order_of(nest, values):
        if item in loops:
            steps.append(
                Step(
                    loop=loops[item],
                    tile=tiles.get(item, 1),
                    copies=max(unroll.get(item, 1), jam.get(item, 1)),
                    jam=jam.get(item, 1) > 1,
                    vectorize=item in vectorize,
                    parallel=item in parallel and item not in tiles,
                )
            )
        else:
            loop = next(loop for loop in nest.loops if loop.tile == item)
            if loop.index in tiles:
                parallel_tiles = loop.index in parallel
                steps.append(Step(loop=loop, over_tiles=True, tile=tiles[loop.index], parallel=parallel_tiles))
    return tuple(_innermost_simd(steps))


def _innermost_simd(steps: list[Step]) -> Iterator[Step]:
    """OpenMP allows nothing of its own inside a `simd` loop."""
    for at, step in enumerate(steps):
        inside = steps[at + 1 :]
        outer = any(inner.vectorize or inner.parallel for inner in inside)
        parallel = next((inner.loop.index for inner in inside if inner.parallel), "") if step.vectorize else ""
        yield replace(step, vectorize=step.vectorize and not outer, hindered=parallel)


def order_of(nest: Nest, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Loops and tile loops from the outside in; an order of the loops alone orders the tile loops outside them too."""
    indices = [loop.index for loop in nest.loops]
    tiled = {f.index for f in nest.directives.tile}
    order = nest.directives.order
    chosen = values[order] if isinstance(order, str) else order
    items = [str(item) for item in chosen] if isinstance(chosen, tuple) and chosen else indices
    if set(items) > set(indices):
        return tuple(items)
    return (*(f"{index}_tile" for index in items if index in tiled), *items)


def is_active(directives: Directives, values: Mapping[str, Value]) -> tuple[bool, bool]:
    """Does the configuration vectorise; does it run in parallel?"""
    return bool(_flagged(directives.vectorize, values)), bool(_flagged(directives.parallel, values))


def _number(setting: Setting, values: Mapping[str, Value]) -> int:
    value = values[setting] if isinstance(setting, str) else setting
    return int(value) if isinstance(value, (bool, int, float)) else 0


def _chosen(factors: tuple[Factor, ...], values: Mapping[str, Value]) -> dict[str, int]:
    return {f.index: n for f in factors if (n := _number(f.setting, values)) > 1}


def _flagged(factors: tuple[Factor, ...], values: Mapping[str, Value]) -> frozenset[str]:
    return frozenset(f.index for f in factors if _number(f.setting, values))
