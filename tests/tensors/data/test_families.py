"""Families: the same arguments give the same tensor, about as large as asked for, of the shape that its name says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tensors.data.tensors import CSR, tensor
from tunepass.diagnostics import Source, SourceError
from tunepass.ir.tensor import Format, Generated
from tunepass.tensors.data.families.resolve import FAMILIES, draw, resolve
from tunepass.tensors.data.load import load
from tunepass.tensors.data.stored import Coordinates, Int64s, StoredTensor
from tunepass.tensors.data.structure import well_formed

SMALL = {
    **dict.fromkeys(("banded", "circuit", "mesh", "power_network", "social"), (("rows", 900), ("nonzeros", 9000))),
    **dict.fromkeys(("chicago", "facebook", "nips", "uber"), (("scale", 0.002),)),
    "dna": (("rows", 900),),
    "uniform": (("rows", 50), ("columns", 60), ("layers", 7), ("nonzeros", 900)),
}
CASES = [(name, modes) for name, family in FAMILIES.items() for modes in family.modes]


def of(name: str, **arguments: float) -> Generated:
    return Generated(
        "B", name, tuple(arguments.items()), Source("k.taco", f"generate B = {name}(…)").span(13, 13 + len(name))
    )


def drawn(name: str, modes: int = 2, **arguments: float) -> Coordinates:
    return draw(of(name, **arguments), tensor(Format(("compressed",) * modes, tuple(range(modes)))))


def lengths(coordinates: Coordinates) -> Int64s:
    return np.bincount(coordinates.indices[0], minlength=coordinates.extents[0])


@pytest.mark.parametrize(("name", "modes"), CASES)
def test_a_tensor_is_well_formed_and_the_same_each_time(name: str, modes: int) -> None:
    kind = tensor(Format(("compressed",) * modes, tuple(range(modes))))
    stored = load(Generated("B", name, SMALL[name]), kind, Path(), None)
    assert well_formed(stored) and stored.vals.size > 0
    first, again = (drawn(name, modes, **dict(SMALL[name])) for _ in range(2))
    np.testing.assert_array_equal(first.indices, again.indices)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.values.size == stored.vals.size, "no place twice"
    other = drawn(name, modes, **dict(SMALL[name]), seed=2)
    assert not np.array_equal(first.values[:10], other.values[:10])


@pytest.mark.parametrize("name", ["banded", "circuit", "mesh", "power_network", "social", "uniform"])
@pytest.mark.parametrize("nonzeros", [10_000, 40_000])
def test_there_are_about_so_many_entries(name: str, nonzeros: int) -> None:
    count = drawn(name, rows=2000, nonzeros=nonzeros).values.size
    assert 0.75 * nonzeros <= count <= 1.1 * nonzeros


@pytest.mark.parametrize("name", ["circuit", "mesh", "power_network", "social", "dna"])
def test_networks_and_meshes_are_symmetric_in_structure(name: str) -> None:
    i, j = drawn(name, **dict(SMALL[name])).indices
    assert {*zip(i.tolist(), j.tolist())} == {*zip(j.tolist(), i.tolist())}


def test_a_circuit_has_rails_and_a_diagonal() -> None:
    coordinates = drawn("circuit", rows=20_000, nonzeros=110_000)
    assert lengths(coordinates).max() > 50 * np.median(lengths(coordinates))
    assert int((coordinates.indices[0] == coordinates.indices[1]).sum()) == 20_000


def test_degrees_of_people_fall_as_a_power_law() -> None:
    degrees = np.sort(lengths(drawn("social", rows=20_000, nonzeros=200_000)))[::-1]
    assert degrees[0] > 40 * degrees.mean()
    assert degrees[: len(degrees) // 100].sum() > 0.15 * degrees.sum()
    steeper = np.sort(lengths(drawn("social", rows=20_000, nonzeros=200_000, exponent=3.5)))[::-1]
    assert steeper[0] < degrees[0]


def test_rows_of_meshes_and_walks_are_alike_and_near_the_diagonal() -> None:
    banded = drawn("banded", rows=2000, nonzeros=20_000, band=30)
    assert int(np.abs(banded.indices[0] - banded.indices[1]).max()) <= 30
    for dimensions in (2, 3):
        mesh = lengths(drawn("mesh", rows=3000, nonzeros=75_000, dimensions=dimensions))
        assert mesh.max() == 25 and np.median(mesh) >= 20
    dna = lengths(drawn("dna", rows=3**9))
    assert (dna.min(), dna.max()) == (10, 19)
    assert dna.mean() == pytest.approx(13)


def test_a_scale_keeps_density_and_small_modes() -> None:
    chicago = drawn("chicago", 4, scale=0.02)
    assert chicago.extents == (124, 24, 77, 32)
    assert chicago.values.size == round(5_330_673 * 0.02)
    assert drawn("uber", 3, scale=0.01).extents[0] < 183
    day_of_word = drawn("nips", 4, scale=0.01)
    papers, years = day_of_word.indices[0], day_of_word.indices[3]
    assert len({*zip(papers.tolist(), years.tolist())}) == len(set(papers.tolist())), "a paper has one year"


def test_integers_have_integer_values() -> None:
    values = draw(of("banded", rows=50, nonzeros=100), tensor(CSR, "int")).values
    assert values.dtype == np.int32 and set(values.tolist()) <= set(range(1, 10))


@pytest.mark.parametrize(
    ("generated", "message", "hint"),
    [
        (of("messh"), "messh is no family of tensors", "did you mean mesh?"),
        (of("mesh", row=5), "mesh has no argument row", "did you mean rows?"),
        (of("mesh", rows=0), "1 <= rows <= 10,000,000 must hold, it is 0", None),
        (of("mesh", rows=1e18), "1 <= rows <= 10,000,000 must hold", None),
        (of("mesh", rows=10.5), "rows is an integer, not 10.5", None),
        (of("mesh", rows=float("inf")), "rows is an integer, not inf", None),
        (of("mesh", nonzeros=10**400), "nonzeros <= 50,000,000 must hold", None),
        (of("mesh", dimensions=4), "a mesh has 2 or 3 dimensions", None),
        (of("mesh", rows=3, nonzeros=9000), "nonzeros <= 500 * rows must hold", None),
        (of("social", exponent=1.0), "1.5 <= exponent <= 10 must hold", None),
        (of("uber", scale=float("nan")), "scale is finite, not nan", None),
        (of("uber", scale=0), "0 < scale <= 4 must hold", None),
        (of("circuit", rows=3, rails=4), "1 <= rails <= rows must hold", None),
        (Generated("B", "mesh", (("rows", 5), ("rows", 6)), of("mesh").span), "rows is given twice", None),
    ],
)
def test_wrong_families_and_arguments_are_refused(generated: Generated, message: str, hint: str | None) -> None:
    with pytest.raises(SourceError) as raised:
        resolve(generated)
    (diagnostic,) = raised.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.span is not None and (diagnostic.span.line, diagnostic.span.column) == (1, 14)
    assert diagnostic.hint == hint


def test_a_family_of_other_modes_is_refused() -> None:
    with pytest.raises(SourceError, match="uber has tensors of 3 or 4 modes; B has 2"):
        load(of("uber"), tensor(), Path(), None)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("chicago", "facebook", "nips", "uber")])
@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_tiny_ones_work(name: str, rows: int) -> None:
    arguments = {"rows": rows} if name == "dna" else {"rows": rows, "nonzeros": 5}
    if name == "circuit":
        arguments["rails"] = 1
    stored: StoredTensor = load(of(name, **arguments), tensor(), Path(), None)
    assert well_formed(stored)
