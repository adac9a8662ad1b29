from __future__ import annotations

import numpy as np
import pytest

from tests.hwmodels.hls.opencl.bodies import DATA, add, at, block, copy, items, kernel, load, loop, mux, name, store
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.fpga.device import load as load_device
from tunepass.hwmodels.hls.opencl.area import counts
from tunepass.hwmodels.hls.opencl.model import costs
from tunepass.hwmodels.hls.opencl.numbers import board
from tunepass.hwmodels.hls.opencl.requests import accesses, traffic
from tunepass.hwmodels.hls.opencl.timing import TimingModel
from tunepass.ir.hardware import FLOAT, INT
from tunepass.ir.hls import HlsKernel, HlsOperation


def value(e: Expr, **parameters: int) -> float:
    columns = {n: np.array([v]) for n, v in parameters.items()}
    return float(evaluate(e, columns, 1).values[0])


def cycles(body: HlsKernel, **parameters: int) -> float:
    return value(TimingModel(body, board()).cycles(), **parameters)


def memory_ns(body: HlsKernel) -> list[float]:
    return [value(traffic(a, body, board()).item_ns) for a in accesses(body)]


def test_a_range_passes_one_work_item_a_cycle_and_lane() -> None:
    assert cycles(kernel(copy(at(item=1)), range_=items(12800))) == 12800
    assert cycles(kernel(copy(at(item=1)), range_=items(12800, simd=4))) == 3200
    assert cycles(kernel(copy(at(item=1)), range_=items(12800, simd=2, units=2))) == 3200


def test_few_work_items_wait_for_the_latency_of_their_loop() -> None:
    body = kernel(loop("i", 1000, copy(at(i=1, item=1000))), range_=items(2))
    assert cycles(body) == 1000 * board().global_cycles


def test_an_unrolled_loop_takes_fewer_passes() -> None:
    body = kernel(loop("i", 64, copy(at(i=1, item=64)), unroll=name("U")), range_=items(4096))
    assert cycles(body, U=4) == 4096 * 16


def test_a_small_loop_without_a_pragma_is_unrolled() -> None:
    assert cycles(kernel(loop("i", 4, copy(at(i=1, item=4))), range_=items(4096))) == 4096
    assert cycles(kernel(loop("i", 400, copy(at(i=1, item=400))), range_=items(4096))) == 4096 * 400


def test_a_sum_of_a_task_waits_for_the_adder() -> None:
    built = block(load("a", at(i=1)), load("s"), add(0, 1), store("s", 2))
    assert cycles(kernel(loop("i", 1000, built))) == 999 * 8 + 70 + 8


def test_a_memory_that_a_task_changes_is_read_written_and_read_again() -> None:
    built = block(load("a", at(i=1)), load("m", DATA), add(0, 1), store("m", 2, DATA))
    once = cycles(kernel(loop("i", 1000, built), local=256))
    assert once == 999 * (3 + 8 + 3) + 70 + 8 + 3
    twice = cycles(kernel(loop("i", 1000, built, unroll=name("U")), local=256), U=2)
    assert twice == pytest.approx(once, rel=0.01)


def test_neighbouring_work_items_share_lines() -> None:
    assert memory_ns(kernel(copy(at(item=1)), range_=items(1024))) == [3.9 * 4 / 64] * 2


def test_work_items_apart_take_a_line_each() -> None:
    assert memory_ns(kernel(copy(at(item=512)), range_=items(1024))) == [8.0, 8.0]


def test_copies_of_a_loop_that_continue_an_access_widen_it() -> None:
    body = kernel(loop("i", 16, copy(at(i=1, item=16)), unroll=16), range_=items(64))
    assert [value(traffic(a, body, board()).units) for a in accesses(body)] == [1, 1]
    assert memory_ns(body) == [3.9, 3.9]


def test_lanes_that_do_not_continue_each_other_keep_copies_apart() -> None:
    body = kernel(loop("i", 16, copy(at(i=1, item=16)), unroll=16), range_=items(64, simd=2))
    assert [value(traffic(a, body, board()).units) for a in accesses(body)] == [16, 16]


def test_what_data_decide_is_executed_by_some() -> None:
    built = block(load("a", at(item=1)), store("b", 0, DATA, guarded=True))
    assert memory_ns(kernel(built, range_=items(64)))[1] == 0.5 * 8.0


def test_what_is_taken_grows_with_units_and_the_clock_falls() -> None:
    def said(units: int) -> dict[str, float]:
        built = block(load("a", at(item=1)), load("c", at(item=1)), add(0, 1), store("b", 2, at(item=1)))
        found = costs([kernel(built, range_=items(1 << 20, units=units))])
        return {key: value(e) for key, e in found.values.items()}

    one, four = said(1), said(4)
    assert four["alms"] > one["alms"] and four["brams"] > one["brams"]
    assert four["clock_hz"] < one["clock_hz"]


def test_one_work_item_is_a_task() -> None:
    body = kernel(loop("i", 1000, copy(at(i=1, item=1000))), range_=items(name("N"), group=1))
    assert cycles(body, N=1) == 999 + 70
    assert alg.number(TimingModel(kernel(loop("i", 1000, copy(at(i=1)))), board()).cycles()) == 999 + 70


def test_what_a_start_from_data_walks_on_from_shares_lines_and_a_gather_does_not() -> None:
    def accessed(*first: HlsOperation) -> list[float]:
        index = HlsOperation(name="index", element=INT, subscripts=(at(i=1),))
        place = HlsOperation(name="fix_add", element=INT, inputs=(0, 1))
        read = HlsOperation(name="load", element=FLOAT, inputs=(2,), array="c", subscripts=(DATA,))
        body = kernel(loop("i", 16, block(*first, index, place, read), unroll=16), range_=items(64))
        return [value(traffic(a, body, board()).item_ns) for a in accesses(body) if a.operation.array == "c"]

    assert accessed(load("s")) == [2.0 + 5.8]
    assert accessed(load("m", DATA)) == [16 * 8.0]


def test_a_mean_trip_is_no_reason_to_unroll() -> None:
    body = kernel(loop("i", 2.5, copy(at(i=1, item=4))), range_=items(4096))
    assert cycles(body) == 4096 * 2.5


def test_a_loop_inside_a_loop_carries_private_arrays_along() -> None:
    step = block(load("a", at(i=1)), load("m", at(j=1)), add(0, 1), store("m", 2, at(j=1)))

    def carried(trip: int) -> float:
        inner = loop("j", 32, step, unroll=name("U"))
        body = kernel(loop("i", trip, inner), range_=items(4096), local=32)
        return value(counts(body, load_device("stratix-v"), board())["carried_bit"], U=1)

    assert carried(1000) == 32 * 32 + 32
    assert carried(1) == 0


def test_compared_and_swapped_copies_follow_one_another() -> None:
    swap = block(load("a", at(i=1)), load("s"), mux(0, 1), store("s", 2))
    one, four = (cycles(kernel(loop("i", 4000, loop("j", k, swap, unroll=k)))) for k in (1, 4))
    assert four == one + 3
