"""`loop auto`: from the pragma to the scop, the space derived from it, and what the model of loops has to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.pragmas.auto import AutoPragma
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ScopNest
from tunepass.polyhedral.model.work import works_of
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.polyhedral.spaces.openings import Choices, openings_of
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

Number = bool | int | float


@dataclass(frozen=True, slots=True)
class DerivedNest:
    """A nest with the parameters that choose its schedule."""

    nest: ScopNest
    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]


def derive_nest(
    pragma: AutoPragma,
    number: int,
    scop: Scop,
    tuned: frozenset[str],
    sizes: Mapping[str, Number],
    *,
    parallel: bool = False,
) -> DerivedNest:
    """The `number`th of the file, from 1. `sizes` are of the kernel's scalars; `parallel`: loops may be shared by
    threads."""
    suffix = f"_{number}" if number > 1 else ""
    space = derive_space(scop, pragma.span, parallel=parallel, suffix=suffix)
    clash = sorted({p.name for p in space.parameters} & tuned)
    if clash:
        hint = "`loop auto` names its own parameters SHAPE, ORDER, TILE_i, JAM_i, PACK_A, SIMD and PARALLEL"
        raise SourceError(f"`{clash[0]}` is a `param` of this file too", pragma.span, hint)
    whole = {name: value for name, value in sizes.items() if isinstance(value, int)}
    shapes = shapes_of(scop)
    works = works_of(scop, shapes, whole)
    choices = Choices(
        directives=space.directives,
        parameters=space.parameters,
        shapes=shapes,
        chains=space.chains,
        packs=space.packs,
    )
    nest = ScopNest(scop, space.directives, works, openings_of(choices, works))
    return DerivedNest(nest, space.parameters, space.constraints)
