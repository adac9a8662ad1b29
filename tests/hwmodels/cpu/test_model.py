"""The model of loop nests as a whole: what it declines, orders that vary and orders that do not, laws."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples, part
from tests.hwmodels.cpu.nests import PRODUCT, kernel, value
from tunepass.expr.nodes import free_names
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.cpu.device import Cpu, load
from tunepass.hwmodels.cpu.model import costs
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel

DEVICE = load()
ORDERS = list(itertools.permutations("ijk"))


def time_ms(of: Kernel, device: Cpu = DEVICE, **chosen: object) -> float:
    found = costs(of, device)
    assert isinstance(found, Costs)
    return value(found.values["time"], of, chosen)  # type: ignore[arg-type]


def test_one_expression_in_ms_over_the_parameters() -> None:
    of = kernel("tile(i: T)", params=("T: ordinal(1, 8, 16)", "OTHER: ordinal(1, 2) flag"))
    found = costs(of, DEVICE)
    assert found is not None and found.units == {"time": "ms"} and dict(found.limits) == {}
    assert free_names(found.values["time"]) == {"T"}


def test_no_nest_has_no_costs() -> None:
    of = kernel("")
    assert costs(replace(of, body=replace(of.body_as(CKernel), scops=())), DEVICE) is None


def test_what_is_not_affine_is_declined() -> None:
    of = kernel("", "C[(i * j) % n] = A[k];")
    assert costs(of, DEVICE) is None


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.slow_but(6)
def test_an_order_that_varies_costs_what_it_costs_fixed(order: tuple[str, ...]) -> None:
    rest = "tile(i: T, k: 16) unroll_and_jam(k: U) vectorize(j: V)"
    params = ("T: ordinal(1, 8, 50)", "U: ordinal(1, 4)", "V: categorical(false, true)")
    free = kernel(f"{rest} order(ORDER)", n=100, params=(*params, "ORDER: permutation(i, j, k)"))
    fixed = kernel(f"{rest} order({', '.join(order)})", n=100, params=params)
    for tile, unroll, simd in part(list(itertools.product((1, 8, 50), (1, 4), (False, True))), 4):
        chosen = {"T": tile, "U": unroll, "V": simd}
        assert time_ms(free, ORDER=order, **chosen) == pytest.approx(time_ms(fixed, **chosen))


def test_tile_loops_that_are_ordered_by_themselves() -> None:
    items = ("k_tile", "i_tile", "j", "i", "k")
    free = kernel("tile(i: 8, k: 16) order(ORDER)", params=("ORDER: permutation(i_tile, k_tile, i, j, k)",))
    fixed = kernel(f"tile(i: 8, k: 16) order({', '.join(items)})")
    assert time_ms(free, ORDER=items) == pytest.approx(time_ms(fixed))


@pytest.mark.parametrize("off", [0, 1])
def test_a_size_or_factor_of_none_is_no_clause(off: int) -> None:
    plain = time_ms(kernel("unroll(k: 1)"))
    # an inactive loop over tiles is entered once for each iteration around it
    assert time_ms(kernel(f"unroll(k: {off}) unroll_and_jam(i: {off})")) == pytest.approx(plain)
    assert time_ms(kernel(f"tile(k: {off})")) == pytest.approx(plain, rel=1e-3)


def test_what_everybody_knows_about_a_product() -> None:
    """Large matrices: rows before columns, tiles before none, vectors before scalars, several sums before one."""
    row, column = time_ms(kernel("order(i, k, j)", n=1000)), time_ms(kernel("order(j, k, i)", n=1000))
    assert row < column / 3
    assert time_ms(kernel("order(i, k, j) vectorize(j)", n=1000)) < row
    assert time_ms(kernel("tile(j: 64, k: 64)", n=1000)) < time_ms(kernel("", n=1000))
    assert time_ms(kernel("order(i, k, j) unroll_and_jam(k: 4)", n=1000)) < row
    assert time_ms(kernel("order(i, k, j) unroll_and_jam(k: 64)", n=1000)) > 0.5 * row


def test_cores_share_the_work() -> None:
    of = kernel("parallel(i: P)", params=("P: categorical(false, true)",), n=500)
    eight = replace(DEVICE, cores=8)
    assert time_ms(of, eight, P=True) < time_ms(of, eight, P=False) / 4
    assert time_ms(of, DEVICE, P=True) > time_ms(of, DEVICE, P=False)  # the team of one costs its fork
    assert time_ms(kernel("parallel(j)", n=20), eight) > time_ms(kernel("", n=20), eight)  # a team for every i


def test_flags_decide_what_is_vectorized() -> None:
    flags = 'OPT: categorical("-O2", "-O3", "-O3 -march=native") flag'
    wide = replace(DEVICE, vector_byte=64)
    of = kernel("order(i, k, j)", params=(flags,))
    scalar, vector, native = (time_ms(of, wide, OPT=o) for o in ("-O2", "-O3", "-O3 -march=native"))
    assert scalar > vector > native


def test_sums_are_reordered_with_fast_math_only() -> None:
    flags = 'OPT: categorical("-O2", "-O3", "-O3 -ffast-math") flag'
    of = kernel("", "C[i] += A[i * n + j];", params=(flags,), indices="ij")
    scalar, vector, fast = (time_ms(of, OPT=o) for o in ("-O2", "-O3", "-O3 -ffast-math"))
    assert scalar == pytest.approx(vector) and fast < vector


def changed(level: int, **fields: float) -> Cpu:
    levels = list(DEVICE.levels)
    levels[level] = replace(levels[level], **fields)  # type: ignore[arg-type]
    return replace(DEVICE, levels=tuple(levels))


@examples(30)
@given(
    order=st.sampled_from(ORDERS),
    tile=st.sampled_from([1, 2, 7, 16, 64, 200]),
    unroll=st.sampled_from([1, 2, 8]),
    level=st.integers(0, 2),
    factor=st.floats(1, 10),
)
def test_a_slower_device_is_slower(order: tuple[str, ...], tile: int, unroll: int, level: int, factor: float) -> None:
    of = kernel(f"tile(i: {tile}, j: {tile}) unroll_and_jam(j: {unroll}) order({', '.join(order)})", n=150)
    before = DEVICE.levels[level]
    base, room = time_ms(of), 1 + 1e-9
    slow = changed(level, miss_ns=before.miss_ns * factor, scattered_ns=before.scattered_ns * factor)
    assert 0 < base <= time_ms(of, slow) * room
    large, small = (changed(level, ways=0, size_byte=size) for size in (before.size_byte, before.size_byte // 4))
    assert time_ms(of, large) <= time_ms(of, small) * room
    assert base <= time_ms(of, replace(DEVICE, core=replace(DEVICE.core, issue_ns=1.0))) * room


@given(n=st.integers(20, 300), more=st.integers(1, 100))
@examples(20)
@pytest.mark.slow
def test_more_iterations_take_longer(n: int, more: int) -> None:
    assert time_ms(kernel("tile(i: 16)", n=n)) < time_ms(kernel("tile(i: 16)", n=n + more))


def test_nests_add_up() -> None:
    one = kernel("", PRODUCT)
    body = one.body_as(CKernel)
    two = replace(one, body=replace(body, scops=body.scops * 2))
    assert time_ms(two) == pytest.approx(2 * time_ms(one))
