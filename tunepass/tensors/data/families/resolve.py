"""Families by name, their arguments checked, and the tensors they have."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np

from tunepass.diagnostics import SourceError, spelling_hint
from tunepass.ir.tensor import Element, Generated, Tensor
from tunepass.tensors.data.families.base import MOST_ENTRIES, MOST_EXTENT, Family
from tunepass.tensors.data.families.many_modes import Chicago, Facebook, Nips, Uber, Uniform
from tunepass.tensors.data.families.meshes import Banded, Dna, Mesh
from tunepass.tensors.data.families.networks import Circuit, PowerNetwork, Social
from tunepass.tensors.data.stored import DTYPE_OF, Coordinates, Values

FAMILIES: dict[str, type[Family]] = {
    "banded": Banded,
    "chicago": Chicago,
    "circuit": Circuit,
    "dna": Dna,
    "facebook": Facebook,
    "mesh": Mesh,
    "nips": Nips,
    "power_network": PowerNetwork,
    "social": Social,
    "uber": Uber,
    "uniform": Uniform,
}


def resolve(generated: Generated) -> Family:
    """The family with its arguments. Raises SourceError at what names it."""
    family = FAMILIES.get(generated.family)
    if family is None:
        raise SourceError(
            f"{generated.family} is no family of tensors; there are {', '.join(FAMILIES)}",
            generated.span,
            spelling_hint(generated.family, FAMILIES, quote=str),
        )
    types = {field.name: field.type for field in fields(family)}
    arguments: dict[str, int | float] = {}
    for name, value in generated.arguments:
        if name not in types:
            raise SourceError(
                f"{generated.family} has no argument {name}; it has {', '.join(sorted(types))}",
                generated.span,
                spelling_hint(name, types, quote=str),
            )
        if name in arguments:
            raise SourceError(f"{name} is given twice", generated.span)
        arguments[name] = _checked(generated, name, value, integer=types[name] == "int")
    instance = family(**arguments)  # type: ignore[arg-type]  # each was checked to be of its field's type
    if (problem := instance.problem()) is not None:
        raise SourceError(f"{generated.family}: {problem}", generated.span)
    return instance


def draw(generated: Generated, tensor: Tensor) -> Coordinates:
    """The tensor's entries. Raises SourceError."""
    family = resolve(generated)
    modes = len(tensor.index)
    if modes not in family.modes:
        has = " or ".join(map(str, family.modes))
        raise SourceError(f"{generated.family} has tensors of {has} modes; {tensor.name} has {modes}", generated.span)
    rng = np.random.Generator(np.random.PCG64(family.seed))
    pattern = family.pattern(modes, rng)
    values = _values(pattern.indices.shape[1], tensor.element, rng)
    return Coordinates(pattern.extents, pattern.indices.astype(np.int32), values)


def _checked(generated: Generated, name: str, value: int | float, *, integer: bool) -> int | float:
    if isinstance(value, float) and (not math.isfinite(value) or (integer and value != int(value))):
        raise SourceError(
            f"{generated.family}: {name} is {'an integer' if integer else 'finite'}, not {value}", generated.span
        )
    if not integer:
        return float(value)
    least, most = (0, 2**63 - 1) if name == "seed" else (1, MOST_ENTRIES if name == "nonzeros" else MOST_EXTENT)
    if not least <= value <= most:
        raise SourceError(f"{generated.family}: {least} <= {name} <= {most:,} must hold, it is {value}", generated.span)
    return int(value)


def _values(count: int, element: Element, rng: np.random.Generator) -> Values:
    """Numbers of one sign and size, so that what is summed in another order is compared safely."""
    if element in ("int", "long"):
        return rng.integers(1, 10, count).astype(DTYPE_OF[element])
    return (0.5 + rng.random(count)).astype(DTYPE_OF[element])
