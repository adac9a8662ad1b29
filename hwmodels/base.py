"""What a hardware model answers: named expressions over a kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Span, TunepassError
from tunepass.expr.nodes import Expr


class ModelError(TunepassError):
    """A device that cannot be read, or a program that the model has no numbers for."""


@dataclass(frozen=True, slots=True)
class Part:
    """One controller, transfer or memory of an estimate, at its depth in the program: where a total comes from."""

    label: str
    depth: int
    values: Mapping[str, Expr]
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """The expressions of an estimate by name, their units, when the design fits the device, and the parts."""

    values: Mapping[str, Expr]
    units: Mapping[str, str]
    fits: Expr
    limits: Mapping[str, int]
    parts: tuple[Part, ...] = ()
