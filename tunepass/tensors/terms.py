"""The right side of an assignment as a sum of products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tunepass.ir.tensor import Access, Binary, Negation, Number, Tensor, TensorExpr
from tunepass.tensors.refusal import IllegalSchedule


@dataclass(frozen=True, slots=True)
class Term:
    """`factors` multiplied, divided by each of `divisors`, negated where `negative`."""

    factors: tuple[Access | Number, ...]
    divisors: tuple[TensorExpr, ...] = ()
    negative: bool = False
    over: tuple[str, ...] = ()  # summed over, though it may not use them

    def accesses(self) -> tuple[Access, ...]:
        """Every access once, in the order of writing."""
        return tuple(dict.fromkeys(a for part in (*self.factors, *self.divisors) for a in accesses(part)))

    def variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(name for access in self.accesses() for name in access.index), *self.over]))


def accesses(expression: TensorExpr) -> Iterator[Access]:
    """The accesses of an expression, without where they were written: equal ones are equal."""
    match expression:
        case Access():
            yield replace(expression, span=None)
        case Negation(operand):
            yield from accesses(operand)
        case Binary(_, left, right):
            yield from accesses(left)
            yield from accesses(right)


def sum_of_products(expression: TensorExpr, free: Sequence[str], tensors: Sequence[Tensor]) -> tuple[Term, ...]:
    """The terms whose sum `expression` is; divisors stay whole, and are dense. `free`: what is not summed over."""
    terms = expanded(expression)
    sparse = {tensor.name for tensor in tensors if tensor.format.sparse}
    for term in terms:
        known = {*free, *term.over, *(name for part in term.factors for a in accesses(part) for name in a.index)}
        for access in (access for divisor in term.divisors for access in accesses(divisor)):
            if access.tensor in sparse:
                raise IllegalSchedule("expression", f"the sparse {access.tensor} is a divisor", access.span)
            if summed := [name for name in access.index if name not in known]:
                message = f"{access.tensor} is summed over {summed[0]}, and a sum cannot be divided by"
                raise IllegalSchedule("expression", message, access.span)
    return tuple(replace(term, over=tuple(name for name in term.over if name not in free)) for term in terms)


def expanded(expression: TensorExpr) -> tuple[Term, ...]:
    """Products are distributed over sums. What both sides of a product use is summed over around all of it."""
    match expression:
        case Access():
            return (Term((replace(expression, span=None),)),)
        case Number():
            return (Term((expression,)),)
        case Negation(operand):
            return tuple(replace(term, negative=not term.negative) for term in expanded(operand))
        case Binary("+" | "-" as operator, left, right):
            return expanded(left) + expanded(right if operator == "+" else Negation(right))
        case Binary(operator, left, right):
            shared = tuple(name for name in uses(left) if name in uses(right))
            if operator == "*":
                return tuple(product(a, b, shared) for a in expanded(left) for b in expanded(right))
            return tuple(
                replace(term, divisors=(*term.divisors, right), over=union(term.over, shared))
                for term in expanded(left)
            )


def uses(expression: TensorExpr) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for access in accesses(expression) for name in access.index))


def product(a: Term, b: Term, shared: tuple[str, ...]) -> Term:
    over = union(union(a.over, b.over), shared)
    return Term(a.factors + b.factors, a.divisors + b.divisors, a.negative != b.negative, over)


def union(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*a, *b)))
