"""Occupancy: NVIDIA's calculator and AMD's waves, and the same as expressions.

Where the expected numbers are from: `occupancy_cases.csv` is what NVIDIA's `cuda_occupancy.h` (CUDA 13.0) answered
(`calculator.py` asks it); worked examples are of the CUDA programming and best practices guides; AMD's tables of waves
by registers are those its guides print; `simulated` fills a multiprocessor block by block, without the formula.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hwmodels.gpu.calculator import Answer, Case, ask, drawn, header_folder, kept
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import INTEGER, Name
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.device import Gpu, load, names
from tunepass.hwmodels.gpu.occupancy import occupancy, occupancy_expressions

NVIDIA = {load(name).architecture.name: load(name) for name in names() if load(name).vendor == "nvidia"}


def ours(case: Case) -> Answer:
    answer = occupancy(NVIDIA[case.capability], case.threads, case.registers, case.static + case.dynamic)
    return Answer(answer.blocks_per_sm, answer.limited_by)


def test_what_nvidia_s_calculator_answered() -> None:
    cases = kept()
    assert len(cases) == 660 and {case.capability for case, _ in cases} == set(NVIDIA)
    assert [(case, ours(case)) for case, _ in cases] == cases


@pytest.mark.skipif(header_folder() is None, reason="no cuda_occupancy.h here: it comes with a CUDA toolkit")
def test_what_nvidia_s_calculator_answers() -> None:
    cases = drawn(11_000, 2)
    assert [ours(case) for case in cases] == ask(cases, str(header_folder()))


# CUDA C++ Best Practices Guide 12.6, 10.1 (37 registers on 7.0: 75 % with blocks of 128 threads, 63 % with 320), and
# CUDA C++ Programming Guide 12.6, 5.2.3 (512 threads of 64 registers on 6.x: two blocks; of 65 registers: one).
@pytest.mark.parametrize(
    ("device", "threads", "registers", "blocks", "warps"),
    [("v100", 128, 37, 12, 48), ("v100", 320, 37, 4, 40), ("p100", 512, 64, 2, 32), ("p100", 512, 65, 1, 16)],
)
def test_the_guides_examples(device: str, threads: int, registers: int, blocks: int, warps: int) -> None:
    answer = occupancy(load(device), threads, registers, 0)
    assert (answer.blocks_per_sm, answer.warps_per_sm, answer.limited_by) == (blocks, warps, ("registers",))


# Waves a SIMD by vector registers: GCN's table (Southern Islands to Vega ISA guides, "VGPR occupancy"), that of MI200
# (ROCm, "register pressure in AMD CDNA 2 GPUs"), and 1024 or 1536 registers of RDNA in steps of 16 and 24.
@pytest.mark.parametrize(
    ("device", "most"),
    [
        ("mi50", {24: 10, 28: 9, 32: 8, 36: 7, 40: 6, 48: 5, 64: 4, 84: 3, 128: 2, 256: 1}),
        ("mi100", {24: 10, 28: 9, 32: 8, 36: 7, 40: 6, 48: 5, 64: 4, 84: 3, 128: 2, 256: 1}),
        ("mi250x", {64: 8, 72: 7, 80: 6, 96: 5, 128: 4, 168: 3, 256: 2, 512: 1}),
        ("w6600", {64: 16, 80: 12, 96: 10, 112: 9, 128: 8, 144: 7, 160: 6, 192: 5, 256: 4}),
        ("w7800", {96: 16, 120: 12, 144: 10, 168: 9, 192: 8, 216: 7, 240: 6, 256: 5}),
    ],
)
def test_waves_by_registers(device: str, most: dict[int, int]) -> None:
    """A work-group of one wave, so that only registers and wave slots count; each key is the most registers for it."""
    gpu, low = load(device), 1
    for registers, waves in most.items():
        for count in (low, registers):
            assert occupancy(gpu, gpu.limits.warp, count, 0).warps_per_sm == 4 * waves
        low = registers + 1


def test_barriers_limit_work_groups_of_several_waves() -> None:
    """LLVM, getMaxWorkGroupsPerCU: 16 (32 in work-group processors), and as many as waves for groups of one wave."""
    counts = [(name, waves * load(name).limits.warp) for name in ("mi50", "mi250x", "w7800") for waves in (1, 2)]
    found = [occupancy(load(name), threads, 8, 0).blocks_per_sm for name, threads in counts]
    assert found == [40, 16, 32, 16, 64, 32]


def simulated(gpu: Gpu, threads: int, registers: int, shared: int) -> int:
    """Blocks that go into an empty multiprocessor one after another, each warp where most registers are free."""
    limits = gpu.limits
    warps = 1
    while warps * limits.warp < threads:
        warps += 1
    units = 1
    while units * limits.register_unit < registers * limits.warp:
        units += 1
    free = [limits.registers_per_sm // limits.register_partitions // limits.register_unit] * limits.register_partitions
    slots, memory, blocks = limits.warps_per_sm, limits.shared_per_sm_byte, 0
    asked = shared + limits.shared_reserved_byte
    asked += -asked % limits.shared_unit_byte
    together = units * limits.register_unit * (warps + -warps % 4)
    if threads > limits.threads_per_block or registers > limits.registers_per_thread:
        return 0
    if together > limits.registers_per_block or asked > limits.shared_per_block_byte + limits.shared_reserved_byte:
        return 0
    while slots >= warps and memory >= asked:
        for _ in range(warps):
            widest = free.index(max(free))
            if free[widest] < units:
                return blocks
            free[widest] -= units
        slots, memory, blocks = slots - warps, memory - asked, blocks + 1
        if blocks == (limits.lone_warp_blocks_per_sm if warps == 1 else limits.blocks_per_sm):
            break
    return blocks


@given(
    name=st.sampled_from(names()),
    threads=st.integers(1, 1100),
    registers=st.integers(1, 520),
    shared=st.one_of(st.just(0), st.integers(0, 240_000)),
)
def test_filling_a_multiprocessor_gives_the_same(name: str, threads: int, registers: int, shared: int) -> None:
    gpu = load(name)
    assert occupancy(gpu, threads, registers, shared).blocks_per_sm == simulated(gpu, threads, registers, shared)


def test_the_calculator_s_own_example() -> None:
    """A100, 256 threads of 64 registers, 16 KiB: 8 warps of 2048 registers, 32 warps resident; 17 KiB of 164 each."""
    answer = occupancy(load("a100"), 256, 64, 16384)
    assert (answer.blocks_per_sm, answer.warps_per_sm, answer.occupancy) == (4, 32, 0.5)
    assert answer.limited_by == ("registers",) and dict(answer.blocks) == {
        "warps": 8, "registers": 4, "shared": 9, "blocks": 32,
    }  # fmt: skip


@pytest.mark.parametrize(("threads", "registers", "shared"), [(0, 1, 0), (32, -1, 0), (32, 1, -1)])
def test_what_no_block_can_have(threads: int, registers: int, shared: int) -> None:
    with pytest.raises(ModelError):
        occupancy(load("a100"), threads, registers, shared)


@given(
    name=st.sampled_from(names()),
    points=st.lists(
        st.tuples(st.integers(1, 1200), st.integers(0, 300), st.integers(0, 240_000)), min_size=1, max_size=40
    ),
)
def test_the_expressions_say_what_the_integers_say(name: str, points: list[tuple[int, int, int]]) -> None:
    gpu = load(name)
    words = ("threads", "registers", "shared")
    columns = {word: np.array([point[i] for point in points]) for i, word in enumerate(words)}
    e = occupancy_expressions(gpu, *(Name(word, INTEGER) for word in words))
    answers = [occupancy(gpu, *point) for point in points]

    def values(field: str) -> list[float]:
        return list(numpy_eval.evaluate(getattr(e, field), columns, len(points)).values)

    assert values("blocks_per_sm") == [a.blocks_per_sm for a in answers]
    assert values("warps_per_sm") == [a.warps_per_sm for a in answers]
    assert values("occupancy") == [a.occupancy for a in answers]
    assert values("fits") == [a.fits for a in answers]


def test_a_block_without_threads_does_not_fit() -> None:
    e = occupancy_expressions(load("a100"), *(Name(word, INTEGER) for word in "trs"))
    columns = {"t": np.array([0, 32]), "r": np.array([8, 8]), "s": np.array([0, 0])}
    assert list(numpy_eval.evaluate(e.fits, columns, 2).values) == [False, True]
