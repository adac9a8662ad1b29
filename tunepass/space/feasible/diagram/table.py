"""A feasible set given as rows, as a diagram."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Value
from tunepass.space.feasible.diagram.diagram import from_rows
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Categorical, Indices, Ordinal, Parameter, Permutation
from tunepass.space.parameters.variable import Variable


def parameters_of(rows: Sequence[Mapping[str, Value]]) -> tuple[Parameter, ...]:
    """Numbers become an Ordinal of the values that occur, strings and Booleans a Categorical, tuples a Permutation."""
    if not rows:
        raise SpaceError("a table has at least one row, got none")
    return tuple(_parameter(name, [row.get(name) for row in rows]) for name in rows[0])


def _parameter(name: str, values: Sequence[Value | None]) -> Parameter:
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    for v in plain:
        if not isinstance(v, Hashable):
            raise SpaceError(f"{name}: values are numbers, strings, Booleans or tuples, got {v!r}")
    seen = list(dict.fromkeys(v for v in plain if v is not None))
    if len(plain) != len([v for v in plain if v is not None]):
        raise SpaceError(f"{name}: every row must give it a value")
    first = seen[0]
    if isinstance(first, tuple):
        strings = sorted(str(item) for item in first)
        return Permutation(name, len(first) if isinstance(first[0], int) else strings)
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in seen):
        return Ordinal(name, sorted(v for v in seen if isinstance(v, (int, float))))
    return Categorical(name, seen)  # type: ignore[arg-type]


def group_of(rows: Sequence[Mapping[str, Value]], parameters: Sequence[Parameter]) -> DiagramGroup:
    """Raises SpaceError for a real parameter, a missing or unknown name, or a value outside its domain."""
    if not rows:
        raise SpaceError("a table has at least one row, got none")
    names = {p.name for p in parameters}
    for row in rows:
        if set(row) != names:
            raise SpaceError(f"a row gives {sorted(names)} a value each, got {sorted(row)}")
    variables: list[Variable] = []
    codes: list[Indices] = []
    for p in parameters:
        if p.size is None:
            raise SpaceError(f"{p.name}: a table needs finite parameters", p.span)
        values = [row[p.name] for row in rows]
        for v in set(values):
            p.check(v)
        variables += p.variables()
        codes.append(p.codes(p.column(values)))
    distinct = np.unique(np.concatenate(codes, axis=1), axis=0)
    layers = [(v.parameter, v.position) for v in variables]
    return DiagramGroup(parameters, layers, from_rows(distinct, [v.size for v in variables]))
