"""Blocks moved: counted by hand for matrix products, held against a simulated LRU cache, and laws."""

from __future__ import annotations

import itertools
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples, part
from tests.hwmodels.cpu.nests import kernel, loops, value
from tunepass.hwmodels.cpu.device import Level
from tunepass.hwmodels.cpu.traffic import Footprints, moved, streams
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.polyhedral.schedules.apply import planned
from tunepass.polyhedral.schedules.plan import plan_of
from tunepass.polyhedral.schedules.tree import bands_in
from tunepass.space.configuration import Configuration
from tunepass.study.trust import rank_correlation

LINE = 64
WHOLE = 64 * 8  # lines of a 64 x 64 matrix of doubles


def level(size_byte: int, block_byte: int = LINE) -> Level:
    return Level(name="L", size_byte=size_byte, block_byte=block_byte, miss_ns=1, scattered_ns=1)


def traffic(of: Kernel, size_byte: int, block_byte: int = LINE, **chosen: object) -> dict[str, float]:
    """Blocks moved by array."""
    found, work = loops(of)
    groups = streams(work.accesses)
    footprints = Footprints(found, groups, block_byte)
    cache = level(size_byte, block_byte)
    return {g.array: value(moved(g, cache, found, footprints), of, chosen) for g in groups}  # type: ignore[arg-type]


def test_each_line_comes_once_where_everything_fits() -> None:
    assert traffic(kernel(""), 1 << 20) == pytest.approx({"A": WHOLE, "B": WHOLE, "C": WHOLE})


def test_every_access_misses_where_nothing_fits() -> None:
    assert traffic(kernel(""), 64) == pytest.approx(dict.fromkeys("ABC", 64.0**3))


def test_a_matrix_that_does_not_fit_comes_again_for_every_row() -> None:
    # one iteration of i touches a row of A, all of B, a row of C: 33.8 kB; one of j 4.7 kB
    assert traffic(kernel(""), 16384) == pytest.approx({"A": WHOLE, "B": 64 * WHOLE, "C": WHOLE})


def test_tiles_bring_it_once_for_every_eight_rows() -> None:
    tiled = kernel("tile(i: 8, j: 8, k: 8) order(i, j, k)")
    assert traffic(tiled, 24576) == pytest.approx({"A": WHOLE, "B": 8 * WHOLE, "C": WHOLE})


def test_a_column_touches_a_page_for_every_few_rows() -> None:
    # a column's elements are 512 bytes apart: 8 of them share a page of 4096
    columns = kernel("order(j, i)", "C[i * n + j] = A[i * n + j];", indices="ij")
    found, work = loops(columns)
    pages = Footprints(found, streams(work.accesses), 4096)
    assert value(pages.blocks[streams(work.accesses)[0]][1], columns) == pytest.approx((8 + 63 * 512) / 4096)


def test_neighbours_of_a_stencil_share_rows() -> None:
    body = "C[i * n + j] = A[i * n + j] + A[i * n + j + 2] + A[(i + 2) * n + j];"
    found, work = loops(kernel("", body, indices="ij", end="n - 2"))
    stencil, written = sorted(streams(work.accesses), key=lambda s: s.array)
    assert [(d.stride_byte, d.spread) for d in stencil.dimensions] == [(8, 2), (512, 2)]
    assert [(d.stride_byte, d.spread) for d in written.dimensions] == [(8, 0), (512, 0)]
    blocks = Footprints(found, (stencil, written), LINE).blocks[stencil]
    assert value(blocks[1], kernel("", body, indices="ij", end="n - 2")) == pytest.approx(3 * 64 / 8)


def test_loops_that_move_alike_overlap() -> None:
    body = "C[i * n + j] += B[k * n] * A[(i + k) * n + j];"
    of = kernel("", body)
    found, work = loops(of)
    groups = {s.array: s for s in streams(work.accesses)}
    blocks = Footprints(found, tuple(groups.values()), LINE).blocks[groups["A"]]
    assert value(blocks[0], of) == pytest.approx((64 + 64 - 1) * 8)


def simulated(of: Kernel, configuration: Configuration, size_byte: int) -> dict[str, int]:
    """Misses by array of a fully associative LRU cache, over the iterations in the order of the schedule."""
    (nest,) = of.body_as(CKernel).scops
    work = nest.works[0].work
    trips = dict(work.trips)
    lines: OrderedDict[tuple[str, int], None] = OrderedDict()
    misses = dict.fromkeys((a.array for a in work.accesses), 0)
    bands = list(bands_in(planned(nest.scop, plan_of(nest.directives, configuration), independent=True)))
    tiles = {band.name: band.strip for band in bands if band.tiles}
    ranges = [
        range(-(-trips[band.name] // band.strip)) if band.tiles else range(tiles.get(band.name, trips[band.name]))
        for band in bands
    ]
    for point in itertools.product(*ranges):
        at = dict.fromkeys(trips, 0)
        for band, number in zip(bands, point):
            at[band.name] += number * (band.strip if band.tiles else 1)
        if any(at[i] >= trips[i] for i in at):
            continue
        for access in work.accesses:
            element = sum(stride * at[i] for i, stride in access.strides)
            line = (access.array, element * access.element_byte // LINE)
            if line in lines:
                lines.move_to_end(line)
            else:
                misses[access.array] += 1
                lines[line] = None
                if len(lines) > size_byte // LINE:
                    lines.popitem(last=False)
    return misses


ORDERS = list(itertools.permutations("ijk"))
TILES = [(1, 1, 1), (8, 8, 8), (1, 4, 16), (16, 1, 5)]


def product(order: tuple[str, ...], tiles: tuple[int, ...], n: int) -> Kernel:
    sizes = ", ".join(f"{i}: {t}" for i, t in zip("ijk", tiles))
    return kernel(f"tile({sizes}) order({', '.join(order)})", n=n)


def default(of: Kernel) -> Configuration:
    return Configuration({p.name: p.default for p in of.parameters})


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.slow_but(3)
def test_the_ends_against_a_simulated_cache(order: tuple[str, ...]) -> None:
    """Of a 24 x 24 product, array by array, where no working set is near the size of the cache."""
    for tiles, size_byte in (((8, 8, 8), 1 << 15), ((1, 4, 16), 1 << 15), ((16, 1, 5), 1 << 15), ((1, 1, 1), 64)):
        of = product(order, tiles, 24)
        misses, found = simulated(of, default(of), size_byte), traffic(of, size_byte)
        assert found == pytest.approx(misses, rel=0.1), (tiles, size_byte)


@pytest.mark.slow
def test_schedules_rank_as_in_a_simulated_cache() -> None:
    pairs = []
    for order, tiles, size_byte in part(list(itertools.product(ORDERS, TILES, (1024, 2048, 4096))), 14):
        of = product(order, tiles, 24)
        pairs.append((sum(traffic(of, size_byte).values()), sum(simulated(of, default(of), size_byte).values())))
    found, misses = zip(*pairs)
    assert rank_correlation(found, misses) > 0.8
    assert 0.8 < np.median(np.divide(found, misses)) < 1.25


@examples(40)
@given(
    order=st.permutations(["i", "j", "k"]),
    tiles=st.tuples(*[st.sampled_from([1, 3, 8, 16, 64, 100])] * 3),
    size_byte=st.integers(64, 1 << 18),
    factor=st.integers(1, 8),
)
@pytest.mark.slow
def test_bounds(order: list[str], tiles: tuple[int, int, int], size_byte: int, factor: int) -> None:
    """At least every block once, at most one block an iteration, and never more in a larger cache."""
    sizes = ", ".join(f"{i}: {t}" for i, t in zip("ijk", tiles))
    of = kernel(f"tile({sizes}) order({', '.join(order)})")
    small, large = traffic(of, size_byte), traffic(of, size_byte * factor)
    for array, blocks in small.items():
        assert large[array] <= blocks * (1 + 1e-9)
        assert large[array] >= WHOLE * (1 - 1e-9) and blocks <= 64**3 * (1 + 1e-9)
