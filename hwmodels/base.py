"""What a hardware model answers: named expressions over a kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tunepass.diagnostics import Span, TunepassError
from tunepass.expr.nodes import Expr


class ModelError(TunepassError):
    """A device that cannot be read, or a program that the model has no numbers for."""


Combines = Literal["leaf", "turns", "slowest"]


@dataclass(frozen=True, slots=True)
class Part:
    """One controller, transfer or memory of an estimate, at its depth in the program: where a total comes from.

    `values` are of one instance, or of one execution, what is inside included. `times` is how often each thing inside
    is there, or is executed. Of time, the things inside `combine` by turns (`overlap` 1: as a pipeline), or all start
    together and the slowest counts.
    """

    label: str
    depth: int
    values: Mapping[str, Expr]
    span: Span | None = None
    times: Expr | None = None
    overlap: Expr | None = None
    combine: Combines = "leaf"


@dataclass(frozen=True, slots=True)
class Costs:
    """The expressions of an estimate by name, their units, when the design fits the device, and where time and area
    go: `timing` has `cycles`, `areas` what the device is made of."""

    values: Mapping[str, Expr]
    units: Mapping[str, str]
    fits: Expr
    limits: Mapping[str, int]
    timing: tuple[Part, ...] = ()
    areas: tuple[Part, ...] = ()
