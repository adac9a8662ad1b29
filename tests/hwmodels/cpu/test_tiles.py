"""The model of nests of tiles: which of two schedules is faster, and that all have a price."""

from __future__ import annotations

import numpy as np
import pytest

import tunepass as tp
from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.cpu.device import DEFAULT
from tunepass.hwmodels.cpu.model import CpuModel
from tunepass.ir.accesses import Access, IterationWork
from tunepass.ir.tiled_nests import NestAlternative, TiledNest, TiledNests, TileLoop

N = 256
TILES = tuple(tp.Ordinal(name, [0, 1, 2, 4, 8, 16, 32, 64], default=8) for name in ("m", "n", "k"))
TURNED = tp.Categorical("turned", [False, True], default=False)
TYPES = {p.name: p.type for p in (*TILES, TURNED)}


def access(array: str, first: str, second: str, *, written: bool = False) -> Access:
    return Access(array=array, element_byte=4, strides=((first, N), (second, 1)), written=written)


PRODUCT = IterationWork(
    trips=(("m", N), ("n", N), ("k", N)),
    accesses=(access("A", "m", "k"), access("B", "k", "n"), access("C", "m", "n", written=True)),
    operations=2,
)
TRANSPOSED = IterationWork(
    trips=(("m", 4 * N), ("n", 4 * N)),
    accesses=(
        Access(array="A", element_byte=4, strides=(("m", 1), ("n", 4 * N))),
        Access(array="B", element_byte=4, strides=(("m", 4 * N), ("n", 1)), read=False, written=True),
    ),
)


def nest(work: IterationWork, order: str, *, points: str = "mnk", vectors: bool = False) -> TiledNest:
    loops = tuple(TileLoop(index, typing.name(index, TYPES)) for index in order)
    used = tuple(index for index in points if index in dict(work.trips))
    return TiledNest(work=work, loops=loops, points=used, vectors=vectors, unroll=alg.lift(1))


def kernel(*alternatives: NestAlternative) -> tp.Kernel:
    return tp.Kernel(
        name="k",
        language="mlir",
        source=tp.Source("k", ""),
        parameters=(*TILES, TURNED),
        body=TiledNests(alternatives=alternatives),
    )


def ms(tuned: tp.Kernel | TiledNest, **values: object) -> float:
    if isinstance(tuned, TiledNest):
        tuned = kernel(NestAlternative(None, (tuned,)))
    chosen = {p.name: p.default for p in tuned.parameters} | values
    found = CpuModel().costs(tuned, DEFAULT)
    assert found is not None and found.name == "the CPU model"
    columns = {p.name: p.column([chosen[p.name]]) for p in tuned.parameters}  # type: ignore[arg-type]
    return float(evaluate(found.values["time"], columns, 1).values[0])


def test_a_longer_tile_of_a_sum_saves_loads_and_stores_of_it() -> None:
    vectors = nest(PRODUCT, "mnk", vectors=True)
    assert ms(vectors, m=4, n=16, k=8) < ms(vectors, m=4, n=16, k=2) < ms(vectors, m=4, n=16, k=1)


def test_sums_that_registers_cannot_keep_are_slower() -> None:
    vectors = nest(PRODUCT, "mnk", vectors=True)
    assert ms(vectors, m=4, n=16, k=8) < ms(vectors, m=64, n=64, k=8)


def test_vectors_are_faster_than_scalars_and_one_point_a_body_is_the_scalar_code() -> None:
    assert ms(nest(PRODUCT, "mnk", vectors=True), m=4, n=32, k=8) < ms(nest(PRODUCT, "mnk"), m=4, n=32, k=8)


def test_a_contiguous_innermost_loop_is_faster() -> None:
    rows, columns = (ms(nest(PRODUCT, "mnk", points=points), m=64, n=64, k=64) for points in ("mkn", "knm"))
    assert rows < columns


def test_tiles_keep_what_a_transposition_walks_across() -> None:
    assert ms(nest(TRANSPOSED, "mn"), m=16, n=16) < ms(nest(TRANSPOSED, "mn"), m=0, n=0)


def test_a_size_of_zero_is_no_loop() -> None:
    looped, without = nest(PRODUCT, "mnk", vectors=True), nest(PRODUCT, "nk", vectors=True)
    assert ms(looped, m=0, n=16, k=1) == pytest.approx(ms(without, n=16, k=1), rel=0.02)


def test_the_condition_chooses_the_alternative() -> None:
    turned = alg.compare(typing.name("turned", TYPES), "==", True)
    first, second = nest(PRODUCT, "knm", vectors=True), nest(PRODUCT, "mnk", vectors=True)
    both = kernel(NestAlternative(turned, (first,)), NestAlternative(None, (second,)))
    assert ms(both, turned=True) == ms(first) != ms(second) == ms(both, turned=False)


def test_copies_of_the_innermost_loop_save_its_overhead() -> None:
    plain = nest(PRODUCT, "mnk", vectors=True)
    copied = TiledNest(work=PRODUCT, loops=plain.loops, points=plain.points, vectors=True, unroll=alg.lift(4))
    small = {"m": 1, "n": 4, "k": 1}
    assert ms(copied, **small) <= ms(plain, **small)


def test_every_configuration_has_a_price() -> None:
    tuned = kernel(NestAlternative(None, (nest(PRODUCT, "mnk", vectors=True), nest(TRANSPOSED, "nm"))))
    found, space = CpuModel().costs(tuned, DEFAULT), tp.Space(tuned.parameters)
    assert found is not None
    columns = space.sample_columns(200, np.random.default_rng(0))
    values = evaluate(found.values["time"], columns, 200).values
    assert np.isfinite(values).all() and (values > 0).all() and len(set(values.tolist())) > 50
