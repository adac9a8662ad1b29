"""The model of tensor kernels as a whole: what it declines, orders that vary, laws, what is sure on any machine."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples, part
from tests.hwmodels.cpu.tensors import (
    CSR,
    Lengths,
    csr,
    dense,
    even,
    kernel,
    number,
    powers,
    product,
    skewed,
    spmm,
    ttv,
    values,
    with_schedule,
)
from tunepass.expr.nodes import free_names
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.cpu.device import DEFAULT, Cpu, load
from tunepass.hwmodels.cpu.model import CpuModel
from tunepass.hwmodels.cpu.sparse import sparse_costs
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import (
    Directive,
    Format,
    LevelStatistics,
    Parallelize,
    Precompute,
    Race,
    Reorder,
    Split,
    TensorKernel,
    TensorStatistics,
    Unit,
)
from tunepass.space.configuration import Value

DEVICE = replace(load(), cores=4)
LOOPS = ("i0", "i1", "jpos0", "k", "jpos1")
FIRST = ("i0", "i1", "jpos0", "jpos1", "k")


def found(of: Kernel, device: Cpu = DEVICE, words: tuple[str, ...] = ("-O3",)) -> Costs:
    result = sparse_costs(of, device, words)
    assert isinstance(result, Costs)
    return result


def time_ms(of: Kernel, device: Cpu = DEVICE, **chosen: Value) -> float:
    return float(values(found(of, device).values["time"], of, [chosen])[0])


def spmv(lengths: Lengths, *schedule: Directive, columns: int = 20_000, spread: float | None = None) -> Kernel:
    rows = sum(number for _, number in lengths)
    statistics = (csr("B", rows, columns, lengths, spread),)
    return kernel("y(i)", product("B(i,j)", "x(j)"), {"B": CSR}, schedule, statistics=statistics)


def parallel(variable: str, unit: Unit = "CPUThread", race: Race = "NoRaces", **how: str) -> Parallelize:
    return Parallelize(variable, unit, race, **{word: number(text) for word, text in how.items()})


def test_one_expression_in_ms_over_the_parameters() -> None:
    costs = found(spmm(even(1000, 8)))
    assert costs.units == {"time": "ms"} and dict(costs.limits) == {}
    assert free_names(costs.values["time"]) == {"chunk", "unroll", "order", "threads", "omp", "omp_chunk"}


def test_the_cpu_model_knows_tensor_kernels() -> None:
    of = spmm(even(1000, 8))
    costs = CpuModel().costs(of, DEFAULT, ("-O3",))
    assert costs is not None and costs.values == found(of, load()).values


def test_data_that_is_not_known_has_no_costs() -> None:
    of = spmm(even(1000, 8))
    body = of.body_as(TensorKernel)
    assert sparse_costs(replace(of, body=replace(body, statistics=())), DEVICE) is None
    assert sparse_costs(replace(of, body=replace(body, extents=())), DEVICE) is None


@pytest.mark.slow
def test_an_order_that_varies_costs_what_it_costs_fixed() -> None:
    free = spmm(skewed(2000, 12))
    orders = part(list(itertools.permutations(LOOPS)), 24)
    others: list[dict[str, Value]] = [{"chunk": 2, "unroll": 8}, {"chunk": 64, "unroll": 2}]
    varied = values(found(free).values["time"], free, [{"order": o, **other} for o in orders for other in others])
    for at, order in enumerate(orders):
        fixed = spmm(skewed(2000, 12), order=order)
        times = values(found(fixed).values["time"], fixed, list(others))
        assert times == pytest.approx(varied[2 * at :][:2])


def test_some_loops_in_an_order_that_varies() -> None:
    """The loops that the permutation does not have stand where they stood."""
    inner = ("jpos0", "k", "jpos1")
    free = spmm(even(2000, 12), listed=inner)
    for order in itertools.permutations(inner):
        assert time_ms(free, order=order) == pytest.approx(time_ms(spmm(even(2000, 12), order=("i0", "i1", *order))))


def test_what_everybody_knows_about_sparse_times_dense() -> None:
    of = spmm(even(20_000, 16))
    best = time_ms(of, order=FIRST)
    assert best < time_ms(of, order=("i0", "i1", "jpos0", "k", "jpos1"))  # a row is read in one go
    assert best < time_ms(of, order=("k", "i0", "i1", "jpos0", "jpos1")) / 4  # rows of 64 once, not a column at a time
    assert time_ms(of, order=("i0", "i1", "k", "jpos0", "jpos1")) > best
    near = spmm(even(20_000, 16), spread=2.0)
    assert time_ms(near, order=FIRST) <= best  # rows that are near each other are found again


def test_a_tile_that_is_longer_than_the_segments_helps_nobody() -> None:
    short = spmm(even(20_000, 2))
    order = ("i0", "i1", "jpos0", "k", "jpos1")
    assert time_ms(short, order=order, unroll=512) == pytest.approx(time_ms(short, order=order, unroll=2), rel=0.1)
    long = spmm(even(500, 512))
    assert time_ms(long, order=order, unroll=64) < time_ms(long, order=order, unroll=2)


def test_the_inner_loop_of_a_tile_is_whole_outside_of_the_outer_one() -> None:
    """512 iterations a segment of 2, most of which find nothing."""
    short = spmm(even(20_000, 2))
    inside, outside = ("i0", "i1", "jpos0", "jpos1", "k"), ("i0", "i1", "jpos1", "jpos0", "k")
    assert time_ms(short, order=outside, unroll=512) > 2 * time_ms(short, order=inside, unroll=512)
    assert time_ms(short, order=outside, unroll=512) > 2 * time_ms(short, order=outside, unroll=4)


def test_tiles_within_tiles() -> None:
    """A tile of 8 in which a loop of 512 stands outside runs through 512."""

    def tiled(inner: int, *order: str) -> float:
        split = (Split("i", "i0", "i1", number("8")), Split("i1", "i10", "i11", number(str(inner))), Reorder(order))
        return time_ms(spmv(even(20_000, 2), *split))

    assert tiled(512, "i11", "i0", "i10", "j") > 2 * tiled(512, "i0", "i10", "i11", "j")
    assert tiled(4, "i11", "i0", "i10", "j") < tiled(512, "i11", "i0", "i10", "j") / 2


def test_rows_that_are_visited_with_steps_are_far_apart() -> None:
    near = spmm(even(40_000, 16), spread=2.0, columns=40_000)
    assert time_ms(near, order=FIRST, chunk=512) < time_ms(near, order=("i1", "i0", *FIRST[2:]), chunk=512)


def test_a_dense_result_is_cleared() -> None:
    """As many nonzeros in a result of more columns."""
    assert time_ms(ttv((500, 40_000, 100), 5000, 2)) > time_ms(ttv((500, 400, 100), 5000, 2))


def test_vectors_where_elements_are_neighbours() -> None:
    of = spmm(even(20_000, 16), order=FIRST)
    body = of.body_as(TensorKernel)
    vector = with_schedule(of, *body.schedule, parallel("k", "CPUVector", "IgnoreRaces"))
    plain = found(of, words=("-O2",)).values["time"]
    assert values(found(vector, words=("-O2",)).values["time"], of, [{}])[0] < values(plain, of, [{}])[0]


def test_threads_up_to_the_cores() -> None:
    of = spmm(even(20_000, 16), order=FIRST)
    one, two, four, many = (time_ms(of, threads=t) for t in (1, 2, 4, 32))
    assert one > 1.5 * two > 2 * four and four < many < one
    assert time_ms(of, replace(DEVICE, cores=1), threads=2) > time_ms(of, replace(DEVICE, cores=1), threads=1)
    tiny = spmm(even(10, 2), order=FIRST)
    assert time_ms(tiny, threads=4) > time_ms(tiny, threads=1)


def test_chunks_and_how_they_are_dealt_out() -> None:
    """Chunks of 256 tiles leave three cores idle; skewed rows are better taken than dealt; dispatch costs."""
    of = spmm(even(40 * 512, 4), order=FIRST)
    assert time_ms(of, chunk=512, omp_chunk=256, threads=4) > 2 * time_ms(of, chunk=512, omp_chunk=1, threads=4)
    few = spmm(((1, 1000), (500, 10)), order=FIRST)
    assert time_ms(few, chunk=2, threads=4, omp="dynamic") < time_ms(few, chunk=2, threads=4, omp_chunk=1)
    light = spmm(even(20_000, 1), k=1, order=FIRST)
    dealt, taken = (time_ms(light, chunk=2, threads=4, omp=omp) for omp in ("static", "dynamic"))
    assert taken > dealt
    assert time_ms(light, chunk=2, threads=4, omp="dynamic", omp_chunk=256) < taken


def test_the_longest_row_keeps_one_core() -> None:
    rows: Lengths = ((1, 100), (10_000, 1))
    assert time_ms(spmm(rows, order=FIRST), threads=4) > 0.9 * time_ms(spmm(rows, order=FIRST), threads=1)


def test_updates_that_exclude_each_other_cost() -> None:
    alone = spmv(even(5000, 20), parallel("i", threads="4"))
    assert time_ms(spmv(even(5000, 20), parallel("i", race="Atomics", threads="4"))) > time_ms(alone)


def test_a_coordinate_that_is_split_visits_every_tile() -> None:
    rows, tiles = even(2000, 4), Split("j", "j0", "j1", number("8"))
    assert time_ms(spmv(rows, tiles)) > 5 * time_ms(spmv(rows))


def test_positions_of_fused_loops() -> None:
    of = ttv((500, 400, 1000), 5000, 10)
    assert time_ms(of, threads=4) < time_ms(of, threads=1)
    assert time_ms(ttv((500, 400, 1000), 10_000, 10)) > 1.5 * time_ms(of)
    assert time_ms(ttv((500, 400, 1000), 5000, 10, "sss")) == pytest.approx(time_ms(of), rel=0.2)


def test_a_workspace_is_filled_and_emptied() -> None:
    of = spmm(even(2000, 16), order=FIRST)
    body = of.body_as(TensorKernel)
    work = Precompute(body.assignment.right, ("k",), ("kw",), "w")
    assert time_ms(with_schedule(of, *body.schedule, work)) > time_ms(of)


def test_a_pattern_that_the_result_shares() -> None:
    """SDDMM: k innermost reads rows of both dense operands, k outermost a column of each at a time."""
    statistics = (csr("B", 5000, 5000, even(5000, 20)),)
    right = product("B(i,j)", "C(i,k)", "D(j,k)")

    def sddmm(*order: str) -> Kernel:
        return kernel("A(i,j)", right, {"A": CSR, "B": CSR}, (Reorder(order), vector), (), statistics, (("k", 64),))

    vector = parallel("k", "CPUVector", "ParallelReduction")
    assert time_ms(sddmm("i", "j", "k")) < time_ms(sddmm("i", "k", "j"))
    assert time_ms(sddmm("i", "j", "k")) < time_ms(sddmm("k", "i", "j"))


def test_formats_of_any_kind() -> None:
    blocked = Format(("compressed", "dense"), (1, 0))
    levels = (LevelStatistics(100, 40, ((40, 1),), 2.5), LevelStatistics(300, 40 * 300))
    statistics = (TensorStatistics("B", levels),)
    assert time_ms(kernel("y(i)", product("B(i,j)", "x(j)"), {"B": blocked}, statistics=statistics)) > 0
    scalar = kernel("a", product("x(i)", "y(i)"), {"x": dense(1)}, extents=(("i", 1000),))
    assert 0 < time_ms(scalar) < time_ms(kernel("a", product("x(i)", "y(i)"), {}, extents=(("i", 5000),)))
    empty = spmv(((0, 100),))
    assert 0 < time_ms(empty) < time_ms(spmv(((1, 100),)))


@examples(25)
@given(
    length=st.integers(1, 60),
    more=st.integers(1, 60),
    order=st.permutations(LOOPS),
    unroll=st.sampled_from([2, 16, 256]),
)
@pytest.mark.slow
def test_more_nonzeros_take_longer(length: int, more: int, order: list[str], unroll: int) -> None:
    few, many = (spmm(even(1000, n), order=tuple(order), columns=5000) for n in (length, length + more))
    assert 0 < time_ms(few, unroll=unroll) < time_ms(many, unroll=unroll)


@examples(25)
@given(
    order=st.permutations(LOOPS), level=st.integers(0, 2), factor=st.floats(1, 10), chunk=st.sampled_from([2, 16, 512])
)
@pytest.mark.slow
def test_a_slower_device_is_slower(order: list[str], level: int, factor: float, chunk: int) -> None:
    of = spmm(skewed(1000, 16), order=tuple(order))
    base, room, before = time_ms(of, chunk=chunk), 1 + 1e-9, DEVICE.levels[level]

    def changed(**fields: float) -> Cpu:
        levels = list(DEVICE.levels)
        levels[level] = replace(before, **fields)  # type: ignore[arg-type]
        return replace(DEVICE, levels=tuple(levels))

    slow = changed(miss_ns=before.miss_ns * factor, scattered_ns=before.scattered_ns * factor)
    assert base <= time_ms(of, slow, chunk=chunk) * room
    assert base <= time_ms(of, changed(size_byte=before.size_byte // 4), chunk=chunk) * room
    assert base <= time_ms(of, replace(DEVICE, core=replace(DEVICE.core, issue_ns=1.0)), chunk=chunk) * room


def test_powers_are_those_of_two() -> None:
    assert powers("T", 2, 16, 4).domain == (2, 4, 8, 16)
