"""A statement of a scop before its accesses are maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.c.scops.numbers.affine import Polynomial
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.updates import Update
from tunepass.frontends.c.scops.statements.variables import Variable
from tunepass.ir.scop import ScopLoop, Use


@dataclass(frozen=True, slots=True)
class Subscript:
    """As an affine value, or as a polynomial of which rows may make several subscripts.

    `numbered` is its affine value where the macros `counted` are taken as the numbers they are. `row` is isl's text of
    the length that it must be proven to be below, as it is through a pointer; None where nothing is to be proven.
    """

    affine: Affine | None
    polynomial: Polynomial | None
    numbered: Affine | None = None
    counted: frozenset[str] = frozenset()
    rows: tuple[Affine, ...] | None = None  # as several subscripts, where a function of these computes it
    strides: tuple[str, ...] = ()  # how that function counts rows
    row: str | None = None


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement before its accesses are maps; `subscripts` and `variables` are of its effects."""

    loops: tuple[ScopLoop, ...]
    constraints: tuple[str, ...]
    positions: tuple[int, ...]  # of its loops and itself, outermost first
    effects: Effects
    variables: Mapping[str, Variable | None]
    subscripts: Sequence[tuple[Subscript, ...]]
    updates: tuple[Update, ...]
    text: str
    span: Span
    uses: tuple[Use, ...] | None
