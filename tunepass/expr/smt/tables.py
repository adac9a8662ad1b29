"""Functions that SMT-LIB has none of, over few values: what the reference reader computes, listed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.domain import Domain, Interval, number
from tunepass.expr.nodes import BoolType, Expr, Name, OrderType, RealType, walk
from tunepass.expr.numpy_eval import dtype_of, evaluate_within
from tunepass.expr.smt.terms import ALWAYS, NumberTerm, Truth
from tunepass.expr.smt.text import choice, conjunction, disjunction, literal

LARGEST = 4096  # rows of a table


def table(e: Expr, domains: Mapping[str, Domain], symbols: Mapping[str, str]) -> tuple[NumberTerm, Truth] | None:
    """`e`, a number or a Boolean as 1 and 0, by the values of the names in it; None where those are too many."""
    names = list({node.name: node for node in walk(e) if isinstance(node, Name)}.values())
    values = [_values(name, domains.get(name.name)) for name in names]
    if any(v is None for v in values) or math.prod(len(v) for v in values if v is not None) > LARGEST:
        return None
    lists = [v for v in values if v is not None]
    grid: list[NDArray[np.generic]] = [axis.ravel() for axis in np.meshgrid(*lists, indexing="ij")]
    n = len(grid[0]) if grid else 1
    columns = {name.name: column.astype(dtype_of(name.type)) for name, column in zip(names, grid)}
    evaluated = evaluate_within(e, columns, n)
    keys = [_keys(name, column, symbols[name.name]) for name, column in zip(names, grid)]
    rows: dict[float | int, list[str]] = {}
    missing: list[str] = []
    for i in range(n):
        where = conjunction(*(key[i] for key in keys))
        if evaluated.defined[i]:
            rows.setdefault(evaluated.values[i].item(), []).append(where)
        else:
            missing.append(where)
    defined = ALWAYS if not missing else ~Truth.of(disjunction(*missing))
    return _listed(rows, isinstance(e.type, RealType)), defined


def _values(name: Name, domain: Domain | None) -> Sequence[float | int] | None:
    if domain is None or isinstance(name.type, OrderType):
        return None
    if not isinstance(domain, Interval):
        return [number(v, name.type) for v in domain] if len(domain) <= LARGEST else None
    if isinstance(name.type, RealType) or domain.hi - domain.lo >= LARGEST:
        return None
    return range(int(domain.lo), int(domain.hi) + 1)


def _keys(name: Name, column: NDArray[np.generic], symbol: str) -> list[str]:
    """What says that the name has each of the column's values."""
    if isinstance(name.type, BoolType):
        return [symbol if value else f"(not {symbol})" for value in column.tolist()]
    is_real = isinstance(name.type, RealType)
    return [f"(= {symbol} {literal(value, is_real=is_real)})" for value in column.tolist()]


def _listed(rows: Mapping[float | int, list[str]], is_real: bool) -> NumberTerm:
    ordered = sorted(rows.items(), key=lambda row: len(row[1]))
    if not ordered:
        return NumberTerm("0.0" if is_real else "0", "Real" if is_real else "Int", 0.0, 0.0)
    endless = any(not math.isfinite(value) for value in rows)
    text = ""
    for value, where in reversed(ordered):
        literal_text = literal(value if math.isfinite(value) else 0.0, is_real=is_real)
        text = choice(disjunction(*where), literal_text, text) if text else literal_text
    return NumberTerm(
        text,
        "Real" if is_real else "Int",
        float(min(rows)),
        float(max(rows)),
        math.inf if endless else 0.0,
        is_real and all(isinstance(v, float) and v.is_integer() and abs(v) <= 2.0**53 for v in rows),
    )
