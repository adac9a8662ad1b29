"""Exact sizes of published spaces: BaCO, RISE/ELEVATE, TACO, Kernel Tuner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tunepass.expr.numpy_eval import satisfied
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation
from tunepass.space.space import Space


@dataclass(frozen=True)
class Known:
    name: str
    parameters: tuple[Parameter, ...]
    constraints: tuple[str, ...]
    size: int
    dense: int


def powers(lo: int, hi: int) -> list[int]:
    return [2**e for e in range(64) if lo <= 2**e <= hi]


def pow2(name: str, lo: int, hi: int) -> Ordinal:
    return Ordinal(name, powers(lo, hi), log=True)


WORK_GROUP = tuple(pow2(name, 1, 1024) for name in ("ls0", "gs0", "ls1", "gs1"))
WORK_GROUP_FITS = ("gs0 % ls0 == 0", "gs1 % ls1 == 0", "ls0 * ls1 <= 1024")
ORDER = Permutation("order", 5)
INNER_LAST = tuple(f"pos(order, {a}) < pos(order, {b})" for b in (3, 2) for a in (0, 1))
OMP = (pow2("omp_chunk", 1, 256), Categorical("schedule", [0, 1]))
SIXTY_FOUR = pow2("threads", 1, 64)

MM_GPU = Known(
    "MM_GPU",
    (
        *(pow2(n, lo, 1024) for n, lo in (("v3", 4), ("v4", 1), ("v5", 4), ("v6", 4), ("v7", 4), ("v8", 1))),
        *WORK_GROUP,
    ),
    (
        "v7 % v3 == 0",
        "v5 % v4 == 0",
        "v5 * v8 % v6 == 0",
        *WORK_GROUP_FITS,
        "49152 - v5 * 4 - v5 * 4 - 4 >= 0",
        "49152 - v5 * v7 * 4 - v5 * 4 - 4 * v7 >= 0",
        "49152 - v5 * v7 * 4 - v5 * v8 * 4 - 4 * v7 * v8 >= 0",
    ),
    154_888_140,
    11_623_211_721,
)
HARRIS = Known(
    "Harris",
    (*WORK_GROUP, Integer("tx", 1, 1024), Integer("ty", 1, 1024), pow2("vec", 2, 4)),
    (
        *WORK_GROUP_FITS,
        "(tx + 4) % vec == 0",
        "tx * ty <= 1024",
        "tx == 1 or tx % 2 == 0",
        "ty == 1 or ty % 2 == 0",
    ),
    10_482_439,
    11**4 * 1024**2 * 2,
)
SCAL = Known(
    "Scal",
    (*WORK_GROUP, pow2("s0", 1, 2**25), pow2("s1", 1, 2**25), pow2("vec", 2, 16)),
    (*WORK_GROUP_FITS, "s0 % (s1 * vec) == 0", "s0 >= s1 * vec"),
    4_201_714,
    11**4 * 26**2 * 4,
)
CONV = Known(
    "conv",
    (
        Ordinal("bx", [1, 2, 4, 8, 16, *range(32, 257, 32)]),
        pow2("by", 1, 32),
        Integer("tx", 1, 8),
        Integer("ty", 1, 8),
        Ordinal("pad", [0, 1]),
        Ordinal("ro", [0, 1]),
        Integer("unroll", 1, 17),
        Integer("fw", 3, 33, step=2),
    ),
    (
        "bx * by >= 32",
        "bx * by <= 1024",
        "pad == 0 or bx % 32 != 0",
        "4 * (bx * tx + fw - 1) * (by * ty + fw - 1) <= 49152",
        "fw % unroll == 0",
        "ro == 0 or tx * ty <= 32",
    ),
    172_544,
    5_431_296,
)
SPMM = Known(
    "SpMM",
    (
        pow2("chunk", 2, 512),
        pow2("unroll", 1, 64),
        pow2("omp_chunk", 1, 256),
        Integer("threads", 2, 20, step=2),
        Categorical("schedule", [0, 1, 2]),
        ORDER,
    ),
    (
        "unroll < chunk",
        *INNER_LAST,
        "pos(order, 3) < pos(order, 2) or pos(order, 3) < pos(order, 4)",
    ),
    136_080,
    9 * 7 * 9 * 10 * 3 * 120,
)
TACO_SPMV = Known(
    "TACO SpMV",
    (*(pow2(f"chunk{i}", 2, 1024) for i in range(3)), ORDER, *OMP, SIXTY_FOUR),
    ("pos(order, 4) == 4",),
    3_024_000,
    15_120_000,
)
TACO_SPMM = Known(
    "TACO SpMM",
    (pow2("chunk", 2, 512), pow2("unroll", 2, 512), ORDER, *OMP, pow2("threads", 1, 32)),
    SPMM.constraints,
    46_656,
    9 * 9 * 120 * 9 * 2 * 6,
)
TACO_SDDMM = Known(
    "TACO SDDMM",
    TACO_SPMM.parameters,
    (
        "unroll < chunk",
        "(pos(order, 2) < pos(order, 4) and pos(order, 0) < pos(order, 2) and pos(order, 1) < pos(order, 2))"
        " or (pos(order, 4) < pos(order, 2) and pos(order, 0) < pos(order, 4) and pos(order, 1) < pos(order, 4))",
    ),
    77_760,
    9 * 9 * 120 * 9 * 2 * 6,
)
TACO_TTV = Known(
    "TACO TTV",
    (pow2("i", 2, 1024), pow2("fpos", 2, 1024), pow2("k", 1, 1024), ORDER, *OMP, SIXTY_FOUR),
    (),
    16_632_000,
    16_632_000,
)
TACO_MTTKRP = Known(
    "TACO MTTKRP",
    (pow2("chunk", 2, 1024), pow2("unroll", 2, 1024), ORDER, *OMP, SIXTY_FOUR),
    ("unroll < chunk",),
    680_400,
    1_512_000,
)
ASUM = Known(
    "Asum",
    (pow2("sp0", 1, 2**24), pow2("stride", 1, 2**24), pow2("sp1", 256, 2**24), pow2("gs0", 1, 1024), WORK_GROUP[0]),
    ("sp0 % sp1 == 0", "sp0 >= sp1 * stride", "gs0 % ls0 == 0"),
    63_954,
    25 * 25 * 17 * 11 * 11,
)
# RISE restricts the order to seven listed ones; which seven does not change the size.
LISTED_ORDERS = ("014523", "014253", "014235", "041523", "041253", "104523", "104253")
MM_CPU = Known(
    "MM_CPU",
    (*(pow2(name, 1, 1024) for name in ("tile51", "tile52", "vec101", "split100")), Permutation("reorder", 6)),
    (
        "vec101 % 2 == 0 and vec101 <= 128",
        "tile51 % vec101 == 0",
        "1024 % tile51 == 0 and 1024 % tile52 == 0",
        " or ".join(
            "(" + " and ".join(f"reorder[{i}] == {item}" for i, item in enumerate(listed)) + ")"
            for listed in LISTED_ORDERS
        ),
    ),
    41_503,
    11**4 * 720,
)
STENCIL = Known("K-means, Stencil", WORK_GROUP, WORK_GROUP_FITS, 3_641, 14_641)

ALL = (
    MM_GPU,
    HARRIS,
    SCAL,
    CONV,
    SPMM,
    TACO_SPMV,
    TACO_SPMM,
    TACO_SDDMM,
    TACO_TTV,
    TACO_MTTKRP,
    ASUM,
    MM_CPU,
    STENCIL,
)


@pytest.mark.parametrize("known", ALL, ids=lambda known: known.name)
def test_size_is_exact(known: Known) -> None:
    space = Space(known.parameters, known.constraints)
    assert (space.size, space.dense) == (known.size, known.dense)
    assert space.complete and space.finite


@pytest.mark.parametrize("known", ALL, ids=lambda known: known.name)
def test_ranks_are_a_bijection_and_samples_feasible(known: Known) -> None:
    space = Space(known.parameters, known.constraints)
    for rank in (0, 1, space.size // 3, space.size - 1):
        assert space.rank(space.unrank(rank)) == rank
    drawn = space.sample(300, np.random.default_rng(1))
    assert len(set(drawn)) == 300
    assert space.contains_columns(space.columns(drawn)).all()
    for c in space.constraints:
        assert satisfied(c.expression, space.columns(drawn), 300).all()


@pytest.mark.parametrize("known", [MM_GPU, HARRIS, CONV, SPMM], ids=lambda known: known.name)
def test_diagrams_stay_narrow(known: Known) -> None:
    space = Space(known.parameters, known.constraints)
    assert sum(g.diagram.nodes for g in space.groups if isinstance(g, DiagramGroup)) < 1500
