"""Sectors, wavefronts and bytes of accesses, against numbers counted by hand and by the hardware."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.hwmodels.gpu.kernels import Built, convolution, value
from tunepass.expr import algebra as alg
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.traffic import Moved, Warps, moved

TURING = load("2080-ti")
built = Built()


def of(block: tuple[int, ...], count: int = 1, **access: object) -> Moved:
    kernel = built.kernel(grid=(100,), block=block, accesses=(built.access(count, **access),))  # type: ignore[arg-type]
    (found,) = moved(kernel, TURING, alg.lift(100.0))
    return found


@pytest.mark.parametrize(
    ("x", "y", "rows"), [(32, 4, 1), (16, 4, 2), (48, 4, 4 / 3), (8, 32, 4), (2, 32, 16), (64, 1, 1)]
)
def test_rows_of_a_block_that_a_warp_has_threads_of(x: int, y: int, rows: float) -> None:
    kernel = built.kernel(grid=(1,), block=(x, y))
    warps = Warps.of(kernel, 32)
    assert value(warps.rows) == pytest.approx(rows)
    assert value(warps.rows) * value(warps.lanes) == pytest.approx(32)
    touched = [len({thread // x for thread in range(w, w + 32)}) for w in range(0, x * y, 32)]
    assert value(warps.rows) == pytest.approx(np.mean(touched))


@pytest.mark.parametrize(
    ("block", "stride", "vector", "sectors"),
    [
        ((32, 4), (1,), 1, 4),  # coalesced
        ((32, 4), (2,), 1, 8 - 1 / 8),
        ((32, 4), (8,), 1, 32 - 7 / 8),
        ((32, 4), (4096,), 1, 32),  # a sector for each thread
        ((32, 4), (0,), 1, 1),  # all read one element
        ((32, 4), (4,), 4, 16),  # 16 bytes a thread
        ((16, 4), (1, 4096), 1, 4),  # two rows of 64 bytes
        ((4, 16), (1, 4096), 1, 8),
        ((8, 16), (0, 4096), 1, 4),
        ((8, 16), (1, 0), 1, 1),  # all rows read the same
    ],
)
def test_sectors_of_an_instruction(
    block: tuple[int, int], stride: tuple[int, ...], vector: int, sectors: float
) -> None:
    assert value(of(block, stride=stride, vector=vector).sectors) == pytest.approx(sectors, rel=0.05)


def fullest_bank(x: int, stride: int, row_stride: int) -> int:
    words = {(t % x) * stride + t // x * row_stride for t in range(32)}
    counts = [sum(word % 32 == bank for word in words) for bank in range(32)]
    return max(counts)


@pytest.mark.parametrize("x", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("row_stride", [14, 16, 17, 30, 32, 33, 46, 64])
def test_wavefronts_are_those_of_the_fullest_bank(x: int, row_stride: int) -> None:
    found = value(of((x, 64), stride=(1, row_stride), place="shared").wavefronts)
    assert fullest_bank(x, 1, row_stride) <= found * 1.01 and found <= 2 * fullest_bank(x, 1, row_stride)


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8, 16, 32, 33])
def test_strides_meet_in_banks(stride: int) -> None:
    found = value(of((32, 4), stride=(stride, 0), place="shared").wavefronts)
    assert found == math.gcd(stride, 32) == fullest_bank(32, stride, 0)


def test_what_all_threads_read_is_one_wavefront() -> None:
    assert value(of((32, 4), stride=(0,), place="shared").wavefronts) == 1
    assert value(of((32, 4), stride=(0, 0), vector=4, place="shared").wavefronts) == 1


def test_blocks_take_what_they_touch_from_the_cache_once() -> None:
    """(64, 4, 1, 4): KTT's counters of the 2080 Ti have 2.54 bytes times 4 of second-level reads an output."""
    kernel = convolution()
    chosen = {"BX": 64, "BY": 4, "TX": 1, "TY": 4}
    blocks = alg.lift(4096 / 64 * 4096 / 16)
    loads = moved(kernel, TURING, blocks)[0]
    each = value(loads.block_byte, chosen) / (64 * 16)
    assert 4 * 2.5 / 1.5 < each < 4 * 2.54 * 1.2
    assert value(loads.total_byte, chosen) == 4 * 4110**2


def test_constants_that_all_threads_share_are_free() -> None:
    found = of((32, 4), 225, stride=(0,), place="constant")
    assert value(found.instructions) == 0 and value(found.block_byte) == 0
