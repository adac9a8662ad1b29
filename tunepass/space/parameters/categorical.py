"""Listed values without an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.configuration import Value
from tunepass.space.parameters.base import (
    Column,
    Indices,
    Lookup,
    Number,
    ParameterBase,
    check_name,
    distinct,
    freeze,
    one_number_type,
    pick_default,
    shown,
)
from tunepass.space.prior import Floats, probabilities


@dataclass(frozen=True, slots=True, init=False)
class Categorical(ParameterBase):
    """Values without an order: all strings, all numbers or all Booleans; `default` is the first."""

    name: str
    domain: tuple[Value, ...]
    default: Value
    prior: tuple[float, ...] | None
    span: Span | None = field(compare=False, repr=False)
    lookup: Lookup = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        values: Sequence[bool] | Sequence[Number] | Sequence[str],
        *,
        default: Value | None = None,
        prior: Sequence[float] | str | None = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        domain: tuple[Value, ...] = distinct(name, values, span)
        kinds = {"string" if isinstance(v, str) else "Boolean" if isinstance(v, bool) else "number" for v in domain}
        if len(kinds) > 1:
            raise SpaceError(f"{name}: values are all strings, all numbers or all Booleans, got {shown(domain)}", span)
        if kinds == {"number"}:
            domain = one_number_type(domain)  # type: ignore[arg-type]
        freeze(self, name=name, domain=domain, span=span, lookup=Lookup(_table(domain)))
        freeze(self, default=pick_default(self, domain, default), prior=probabilities(name, prior, len(domain)))

    def __str__(self) -> str:
        return f"categorical({shown(self.domain)})"

    @property
    def type(self) -> nodes.Type:
        first = self.domain[0]
        if isinstance(first, str):
            return nodes.Category(tuple(str(v) for v in self.domain))
        if isinstance(first, bool):
            return nodes.Bool()
        return nodes.Integer() if isinstance(first, int) else nodes.Real()

    @property
    def size(self) -> int:
        return len(self.domain)

    def admits(self, value: object) -> bool:
        return isinstance(value, bool) == isinstance(self.domain[0], bool) and value in self.domain

    def column(self, values: Sequence[Value]) -> Column:
        place = {value: i for i, value in enumerate(self.domain)}
        return self.at(np.array([place[v] for v in values], dtype=np.int64))

    def values(self, column: Column) -> list[Value]:
        if isinstance(self.domain[0], str):
            return [self.domain[i] for i in column.tolist()]
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return self.lookup.table[index]

    def find(self, column: Column) -> Indices:
        return self.lookup.find(column)

    def masses(self) -> Floats:
        n = len(self.domain)
        return np.full(n, 1.0 / n) if self.prior is None else np.array(self.prior)


def _table(domain: tuple[Value, ...]) -> Column:
    first = domain[0]
    if isinstance(first, str):
        return np.arange(len(domain), dtype=np.int64)
    kind = np.bool_ if isinstance(first, bool) else np.int64 if isinstance(first, int) else np.float64
    return np.array(domain, dtype=kind)
