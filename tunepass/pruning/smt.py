"""Parameters and constraints as SMT-LIB 2: the script that is exported, and what Z3 is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import CategoryType, OrderType
from tunepass.expr.smt.terms import Truth, all_of
from tunepass.expr.smt.writer import SmtWriter
from tunepass.pruning.base import Limit
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Parameter, Real

HEAD = (
    "Whole numbers are exact, and each fits 64 bits. Reals are real numbers: within rounding of a limit the doubles",
    "that tunepass computes with may fall on the other side of it.",
)


def domain_of(p: Parameter) -> Domain:
    """Domain of a scalar parameter's name."""
    if isinstance(p, Real) and p.step is None:
        return Interval(*p.ends())
    if isinstance(p, Integer):
        return Interval(p.lo, p.hi) if p.step == 1 else range(p.lo, p.hi + 1, p.step)
    if isinstance(p.type, CategoryType):
        return p.type.values
    return p.at(np.arange(p.size or 0))


def writer_of(parameters: Sequence[Parameter]) -> SmtWriter:
    scalars = [p for p in parameters if not isinstance(p.type, OrderType)]
    return SmtWriter({p.name: p.type for p in parameters}, {p.name: domain_of(p) for p in scalars})


def kept(writer: SmtWriter, constraints: Sequence[Constraint]) -> Truth:
    """Formula: all constraints hold."""
    return all_of([writer.satisfied(c.expression) for c in constraints])


def smt_script(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], limits: Sequence[Limit], title: str
) -> Iterator[str]:
    """The lines of a script that is satisfiable exactly where something is left; its models are configurations.

    Constraints and limits are named, so that `get-unsat-core` says which of them conflict."""
    writer = writer_of(parameters)
    named = [(c.text, writer.satisfied(c.expression).exact) for c in constraints]
    bounds = [(limit.constraint.text, writer.satisfied(limit.constraint.expression).exact) for limit in limits]
    yield from (f"; {line}" for line in _comment(title, *HEAD))
    yield "(set-option :produce-models true)"
    yield "(set-option :produce-unsat-cores true)"
    formulas = [formula for _, formula in (*named, *bounds)]
    yield f"(set-logic {'QF_NIRA' if _uses_reals([*writer.lines, *formulas]) else 'QF_NIA'})"
    yield from writer.lines
    for kind, texts in (("constraint", named), ("limit", bounds)):
        for i, (text, formula) in enumerate(texts, 1):
            yield from (f"; {line}" for line in _comment(text))
            yield f"(assert (! {formula} :named {kind}.{i}))"
    yield "(check-sat)"
    symbols = [s for p in parameters for s in _symbols(writer, p)]
    yield f"(get-value ({' '.join(symbols)}))"


def _uses_reals(lines: Sequence[str]) -> bool:
    return any(" Real" in line or "to_real" in line or "/ " in line for line in lines)


def _comment(*texts: str) -> list[str]:
    return [line for text in texts for line in text.splitlines()]


def _symbols(writer: SmtWriter, p: Parameter) -> tuple[str, ...]:
    return writer.positions(p.name) if isinstance(p.type, OrderType) else (writer.symbols[p.name],)
