"""Conditions of `#if` decided for each combination of parameters' values, where no expression says what they are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import algebra, typing
from tunepass.expr.nodes import BoolType, CategoryType, Expr, OrderType, RealType
from tunepass.expr.nodes import Name as Symbol
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.frontends.cfamily.branches.booleans import FALSE, TRUE, conjunction, disjunction, negated
from tunepass.frontends.cfamily.branches.preprocessor_values import UndefinedValueError
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

MOST_COMBINATIONS = 1024
MOST_RUNS = 32  # of values one after the other in the condition of one parameter
Truths = NDArray[np.bool_]  # an axis for each parameter, in the order of its values


def truths(parameters: Sequence[Parameter], holds: Callable[[Mapping[str, Value]], bool]) -> Truths | None:
    """For which values it holds; None where they are too many, or where it has no value for some."""
    sizes = [p.size for p in parameters if p.size is not None and not isinstance(p.type, OrderType | RealType)]
    if len(sizes) < len(parameters) or math.prod(sizes) > MOST_COMBINATIONS:
        return None
    values = [[p.domain[n] for n in range(size)] for p, size in zip(parameters, sizes)]
    names = [p.name for p in parameters]
    try:
        outcomes = [holds(dict(zip(names, chosen))) for chosen in itertools.product(*values)]
    except (UndefinedValueError, UndefinedValue, OverflowValue):
        return None
    return np.array(outcomes, np.bool_).reshape(sizes)


def value_in(e: Expr, values: Mapping[str, Value]) -> int:
    """The number that an expression over parameters is."""
    value = evaluate(e, dict(values))
    if isinstance(value, str | tuple):
        raise UndefinedValueError
    return int(value)


def condition_for(outcomes: Truths, parameters: Sequence[Parameter]) -> Expr | None:
    """The condition that has these outcomes; None where it would be too long."""
    if outcomes.all() or not outcomes.any():
        return TRUE if outcomes.all() else FALSE
    first, *rest = parameters
    groups: dict[bytes, list[int]] = {}
    for index, part in enumerate(outcomes):
        groups.setdefault(part.tobytes(), []).append(index)
    terms: list[Expr] = []
    for indices in groups.values():
        chosen = np.zeros(len(outcomes), np.bool_)
        chosen[indices] = True
        inner = condition_for(outcomes[indices[0]], rest) if rest else TRUE if outcomes[indices[0]] else FALSE
        first_has = _among(first, chosen) if inner != FALSE else FALSE
        if inner is None or first_has is None:
            return None
        terms.append(conjunction(first_has, inner))
    return disjunction(*terms)


def _among(parameter: Parameter, chosen: Truths) -> Expr | None:
    """The condition that a parameter has one of the values."""
    symbol = Symbol(parameter.name, parameter.type)
    if chosen.all():
        return TRUE
    if isinstance(parameter.type, BoolType):
        value = parameter.domain[int(np.flatnonzero(chosen)[0])]
        return symbol if value else negated(symbol)
    inside, outside = _runs(chosen), _runs(~chosen)
    if min(len(inside), len(outside)) > MOST_RUNS:
        return None
    if len(outside) < len(inside):
        return negated(disjunction(*(_between(parameter, symbol, *run) for run in outside)))
    return disjunction(*(_between(parameter, symbol, *run) for run in inside))


def _runs(chosen: Truths) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False])).astype(np.int8)))
    return [(int(start), int(end) - 1) for start, end in zip(edges[::2], edges[1::2])]


def _between(parameter: Parameter, symbol: Symbol, first: int, last: int) -> Expr:
    """The condition that the value is one of these indices."""
    domain, end = parameter.domain, len(parameter.domain) - 1
    values = [domain[n] for n in range(first, last + 1)]
    if first == last or isinstance(parameter.type, CategoryType) or not _ascends(domain):
        same = (typing.compare((symbol, typing.constant(value)), ("==",)) for value in values)  # type: ignore[arg-type]
        return disjunction(*same)
    low, high = typing.constant(values[0]), typing.constant(values[-1])  # type: ignore[arg-type]
    above = TRUE if first == 0 else algebra.compare(symbol, ">=", low)
    below = TRUE if last == end else algebra.compare(symbol, "<=", high)
    return conjunction(above, below)


def _ascends(domain: Sequence[Value]) -> bool:
    return all(domain[n] < domain[n + 1] for n in range(len(domain) - 1))  # type: ignore[operator]
