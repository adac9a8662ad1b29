"""Values affine in the counters of the loops around, offset + sum(coefficient * counter): sums and products of them."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.values import Known, Op, Value, Wire

Terms = tuple[tuple[str, Expr], ...]  # counter and coefficient


def affine_wire(op: Op, name: str, left: Value, right: Value) -> Wire:
    """The wire of the operation `name` on `left` and `right`: affine after +, -, and * and / by a known number."""
    if name in ("add", "sub") and _is_affine(left) and _is_affine(right):
        return _sum(op, left, right, 1 if name == "add" else -1)
    if name == "mul":
        for factor, wire in ((left, right), (right, left)):
            if isinstance(factor, Known) and isinstance(wire, Wire) and wire.terms is not None:
                scaled = tuple((counter, algebra.mul(factor.expr, scale)) for counter, scale in wire.terms)
                return Wire(op, scaled, algebra.mul(factor.expr, wire.offset))
    if name == "div" and isinstance(left, Wire) and left.terms == () and isinstance(right, Known):
        return Wire(op, (), algebra.floordiv(left.offset, right.expr))
    return Wire(op)


def _sum(op: Op, left: Value, right: Value, sign: int) -> Wire:
    """`left + sign * right`."""
    coefficients = dict(_terms(left))
    for counter, scale in _terms(right):
        total = algebra.add(coefficients.get(counter, algebra.lift(0)), algebra.mul(sign, scale))
        coefficients[counter] = total
    kept = tuple((counter, scale) for counter, scale in coefficients.items() if algebra.number(scale) != 0)
    combine = algebra.add if sign > 0 else algebra.sub
    return Wire(op, kept, combine(_offset(left), _offset(right)))


def negated_wire(op: Op, operand: Wire) -> Wire:
    if operand.terms is None:
        return Wire(op)
    terms = tuple((counter, algebra.sub(0, scale)) for counter, scale in operand.terms)
    return Wire(op, terms, algebra.sub(0, operand.offset))


def _is_affine(value: Value) -> bool:
    return isinstance(value, Known) or (isinstance(value, Wire) and value.terms is not None)


def _terms(value: Value) -> Terms:
    return value.terms or () if isinstance(value, Wire) else ()


def _offset(value: Value) -> Expr:
    return value.offset if isinstance(value, Wire) else value.expr if isinstance(value, Known) else algebra.lift(0)
