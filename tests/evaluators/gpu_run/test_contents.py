"""What buffers hold before a launch and what is found wrong in them after it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluators.gpu_run.kernels import e
from tunepass.evaluators.gpu_run.contents import PAGE, BufferLayout, Bytes, ContentsCase
from tunepass.ir.gpu_call import CalledBuffer, Element, ElementNumber
from tunepass.study.outcome import Failed

REAL, DOUBLE, BYTE = (Element(int(t[1]), (ElementNumber(t),)) for t in ("f4", "f8", "u1"))
SHORT3 = Element(8, tuple(ElementNumber("i2", 2 * k) for k in range(3)))
PAIR = Element(12, (ElementNumber("u1"), ElementNumber("f8", 4)))
X = CalledBuffer(name="x", element=REAL, direction="in", count=5)
Y = CalledBuffer(name="y", element=DOUBLE, direction="out", count=3)
Z = CalledBuffer(name="z", element=SHORT3, direction="inout", count=2, fill=e("i + 1"))
TABLE = CalledBuffer(name="table", element=BYTE, direction="in", count=9, symbol=True)
LAYOUT = BufferLayout.of((X, Y, Z, TABLE))
CASE = ContentsCase(1, 0)


def payload(number: int, image: Bytes) -> Bytes:
    place = LAYOUT.places[number]
    return image[place.start + place.guard :][: place.size]


def test_inputs_are_drawn_outputs_poisoned_and_fills_computed() -> None:
    first, second = LAYOUT.image(CASE), LAYOUT.image(ContentsCase(2, 1))
    x = payload(0, first).view("f4")
    assert ((x >= -1) & (x <= 1)).all() and not np.array_equal(x, payload(0, second).view("f4"))
    assert np.isnan(payload(1, first).view("f8")).all() and (payload(1, second).view("f8") == -1234.5).all()
    assert payload(2, first).view("i2").tolist() == [1, 1, 1, 0, 2, 2, 2, 0]
    assert LAYOUT.places[3].guard == 0 and LAYOUT.places[3].symbol == "table"
    assert np.array_equal(first, LAYOUT.image(CASE))


def test_outputs_leave_out_what_vectors_of_three_do_not_use() -> None:
    y, z = LAYOUT.outputs(LAYOUT.image(CASE))
    assert (y.name, z.name) == ("y", "z") and z.values.tolist() == [1, 1, 1, 2, 2, 2]


def test_each_number_of_a_struct_is_drawn_and_compared_by_its_own() -> None:
    layout = BufferLayout.of((CalledBuffer(name="p", element=PAIR, direction="inout", count=100),))
    kind, weight = layout.outputs(layout.image(CASE))
    assert (kind.name, weight.name) == ("p[].byte0", "p[].byte4")
    assert kind.values.dtype == np.uint8 and kind.values.max() <= 127
    assert weight.values.dtype == np.float64 and weight.values.min() < 0 < weight.values.max() <= 1


@given(byte=st.integers(0, LAYOUT.size - 1))
def test_a_byte_that_changes_is_a_fault_unless_the_kernel_may_write_it(byte: int) -> None:
    before = LAYOUT.image(CASE)
    after = before.copy()
    after[byte] ^= 0x10
    fault = LAYOUT.fault(before, after)
    for buffer, place in zip(LAYOUT.buffers, LAYOUT.places, strict=True):
        if place.start <= byte < place.start + place.whole:
            inside = place.guard <= byte - place.start < place.guard + place.size
            if inside and place.written:
                assert fault is None
            else:
                assert isinstance(fault, Failed) and buffer.name in fault.log
                assert fault.stage == ("wrong_result" if inside else "out_of_bounds")
            return
    assert fault is None  # between two buffers in the arena, which no device sees


@pytest.mark.parametrize("count", [1, PAGE, PAGE + 1, 3 << 20])
def test_every_buffer_begins_where_devices_let_parts_of_buffers_begin(count: int) -> None:
    buffer = CalledBuffer(name="x", element=BYTE, direction="in", count=count)
    for place in BufferLayout.of((buffer, buffer)).places:
        assert place.guard >= PAGE and place.guard % PAGE == 0 and place.start % PAGE == 0
