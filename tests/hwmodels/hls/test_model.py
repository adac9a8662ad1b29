"""The model of Merlin's and Vitis's kernels against numbers worked out by hand from the modules' formulas."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hwmodels.hls.nests import N, array, at, kernel, loop, name, operation, product, running
from tunepass.diagnostics import Source
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.hwmodels.base import CostModel
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.dependence import carried, parallel
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.model import HlsModel, costs
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.tools import tool
from tunepass.ir.hls import HlsBlock, HlsKernel, HlsSubscript
from tunepass.ir.kernel import Kernel
from tunepass.space.parameter import Ordinal
from tunepass.testing.cost_model import CostModelContract

OLD = tool("merlin-2018.3")
ADD, MULTIPLY = OLD.operators["double_add"].cycles, OLD.operators["double_mul"].cycles
PLAIN = {"rows": 1, "columns": 1, "terms": 1, "flat": 0, "tile": 1}


def value(e: Expr, **parameters: int) -> float:
    columns = {n: np.array([v]) for n, v in parameters.items()}
    return float(evaluate_within(e, columns, 1).values[0])


def compute(body: HlsKernel, **parameters: int) -> float:
    """Cycles without those of transfers."""
    model = CycleModel(Nest(body), OLD)
    return value(alg.sub(model.total(), model.transfers.total()), **parameters) - OLD.start_cycles


def interval(body: HlsKernel, label: str, **parameters: int) -> float:
    model = CycleModel(Nest(body), OLD)
    return value(model.interval(model.nest.loops[label]), **parameters)


class TestHlsModel(CostModelContract):
    @pytest.fixture
    def model(self) -> CostModel:
        return HlsModel()

    @pytest.fixture
    def kernel(self) -> Kernel:
        factors = [Ordinal(n, [1, 2, 4, 64]) for n in ("rows", "columns", "terms", "tile")]
        return Kernel(
            name="product",
            language="c",
            source=Source("product.c", ""),
            parameters=(*factors, Ordinal("flat", [0, 1])),
            body=product(),
        )


def test_a_sum_is_pipelined_at_the_latency_of_its_addition() -> None:
    assert interval(product(), "k", **PLAIN) == ADD


def test_a_named_reduction_becomes_a_tree_and_one_that_is_flattened_a_chain() -> None:
    wide = compute(product(), **{**PLAIN, "terms": N})
    flat = compute(product(), **{**PLAIN, "flat": 1})
    assert interval(product(), "s", **{**PLAIN, "flat": 1}) == 1
    assert flat - wide == pytest.approx((N - 1 - 6) * ADD)  # a tree over 64 is 6 high


def test_loops_around_a_pipeline_with_nothing_else_in_them_run_through_it_as_one() -> None:
    assert compute(product(), **{**PLAIN, "terms": N}) == pytest.approx(N * N - 1 + 2 + MULTIPLY + 7 * ADD + 1 + 2)


def test_copies_of_a_pipelined_loop_divide_its_iterations() -> None:
    one, four = (compute(product(), **{**PLAIN, "terms": N, "columns": p}) for p in (1, 4))
    assert one - four == N * N - N * N / 4


@pytest.mark.parametrize("distance", [1, 2, 4])
def test_a_dependence_allows_as_many_iterations_as_it_reaches_over(distance: int) -> None:
    nest = Nest(running(distance))
    assert [d.distance for d in carried(nest, nest.loops["i"])] == [distance]
    around = OLD.load_cycles + ADD + OLD.store_cycles
    assert interval(running(distance), "i", copies=1) == pytest.approx(around / distance)


def test_a_load_that_an_earlier_store_never_meets_carries_nothing() -> None:
    assert carried(Nest(running(-1)), Nest(running(-1)).loops["i"]) == ()
    assert not parallel(Nest(running(1)), Nest(running(1)).loops["i"])


def test_a_scalar_that_each_iteration_sets_anew_is_its_own() -> None:
    nest = Nest(product())
    assert parallel(nest, nest.loops["s"]) and not parallel(nest, nest.loops["k"])


def test_memory_has_two_ports() -> None:
    reads = [operation("load", array="x", subscripts=at("i", offset=o)) for o in range(7)]
    body = HlsBlock(operations=(*reads, operation("store", 0, array="y", subscripts=at("i"))))
    stencil = kernel(loop("i", body, unroll=name("copies")), arrays=(array("x", N + 6, written=False), array("y", N)))
    assert interval(stencil, "i", copies=1) == 4


def test_a_tile_of_columns_costs_a_request_for_each_row_and_pass() -> None:
    moved = CycleModel(Nest(product()), OLD).transfers.total()
    whole, narrow = (value(moved, **{**PLAIN, "terms": N, "tile": t}) for t in (1, 2))
    assert narrow - whole > N * (N / 2) * N * OLD.transfers.request_cycles


def test_resources_grow_with_copies_and_more_than_the_device_does_not_fit() -> None:
    few = costs(product(), devices.load("vu9p"), OLD)
    small, large = ({**PLAIN, "terms": N, "columns": p} for p in (1, 64))
    for resource in ("luts", "ffs", "dsps"):
        assert value(few.values[resource], **small) < value(few.values[resource], **large)
    assert value(few.values["dsps"], **small) == 14 * N
    assert value(few.fits, **small) and not value(few.fits, **large)


def test_elements_need_a_dimension_of_their_own() -> None:
    """c[64 i + j] is written by all elements into one dimension; c[i][j] is not."""
    flat = HlsSubscript(terms=(("i", alg.lift(N)), ("j", alg.lift(1))))
    lanes = []
    for subscripts, dims in (((flat,), (N * N,)), (at("i", "j"), (N, N))):
        body = HlsBlock(operations=(operation("constant"), operation("store", 0, array="c", subscripts=subscripts)))
        nest = Nest(kernel(loop("i", loop("j", body), unroll=name("rows")), arrays=(array("c", *dims, read=False),)))
        lanes.append(value(Lanes(nest).of(nest.loops["i"]), rows=4))
    assert lanes == [1, 4]


def test_a_scalar_that_is_put_back_as_it_was_read_carries_nothing() -> None:
    body = HlsBlock(
        operations=(
            operation("load", array="factor"),
            operation("store", 0, array="c", subscripts=at("i")),
            operation("store", 0, array="factor"),
        )
    )
    arrays = (array("c", N, read=False), array("factor"))
    nest = Nest(kernel(loop("i", body, unroll=name("copies")), arrays=arrays))
    assert parallel(nest, nest.loops["i"])


def test_iterations_that_processing_elements_leave_over_run_one_after_another() -> None:
    add = (operation("load", array="sum"), operation("load", array="x", subscripts=at("i", "j")))
    inner = HlsBlock(operations=(*add, operation("flt_add", 0, 1), operation("store", 2, array="sum")))
    start = HlsBlock(operations=(operation("constant"), operation("store", 0, array="sum")))
    finish = HlsBlock(operations=(operation("load", array="sum"), operation("store", 0, array="y", subscripts=at("i"))))
    arrays = (array("x", 90, N, written=False), array("y", 90, read=False), array("sum"))
    sums = kernel(loop("i", start, loop("j", inner), finish, trip=90, unroll=name("rows")), arrays=arrays)
    one, even, uneven = (compute(sums, rows=rows) for rows in (1, 30, 32))
    assert one == pytest.approx(90 * even / 3) and uneven == pytest.approx((2 + 26) * even / 3)


def test_a_search_with_the_tool_puts_back_what_hardly_comes_out_of_it() -> None:
    said = costs(product(), devices.load("vu9p"))
    few, many = ({**PLAIN, "terms": n} for n in (1, 64))
    assert value(said.effort, **few) == 1
    assert value(said.effort, **many) == pytest.approx(64**0.3)
    assert value(said.prior("cycles"), **many) == pytest.approx(64**0.3 * value(said.values["cycles"], **many))
    large = {**PLAIN, "rows": 64, "terms": 64, "flat": 1}  # more operators than the device has
    over = max(value(said.values[name], **large) / limit for name, limit in said.limits.items())
    assert over > 1
    assert value(said.effort, **large) == pytest.approx(over**2 * value(Lanes(Nest(product())).most(), **large) ** 0.3)
