"""A constraint reads a conditional parameter only where its other parts imply that the parameter is active.

`a and b` reads b only where a is true, `a or b` only where a is false, `if(a, b, c)` reads b or c by a: from left to
right, as constraints are evaluated. One that is `derived` from a source is not checked: it reads the default, which the
compiler is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunepass.diagnostics import SpaceError
from tunepass.expr import nodes, typing
from tunepass.expr.printer import to_text
from tunepass.space.activity import Activity
from tunepass.space.constraint import Constraint

GUARD_NODES = 100_000  # of the diagram that shows that a guard implies a condition
MAY_BE_UNDEFINED = (nodes.Binary, nodes.Call, nodes.Index)
Facts = tuple[nodes.Expr, ...]


def check_guards(activity: Activity, constraints: Sequence[Constraint]) -> None:
    """Raises SpaceError for a constraint that reads a parameter where it may be inactive."""
    if not activity:
        return
    for constraint in (c for c in constraints if not c.derived):
        for name, facts in _reads(constraint.expression, ()):
            if name.name in activity.whole and not _implied(activity, facts, activity.whole[name.name]):
                when = activity.conditions[name.name]
                raise SpaceError(
                    f"the constraint `{constraint}` reads `{name.name}`, which has a value only when {when}",
                    name.span or constraint.span,
                    f"guard it: `not ({when}) or {_bracketed(constraint)}`",
                )


def _bracketed(constraint: Constraint) -> str:
    loose = isinstance(constraint.expression, nodes.Logical) and constraint.expression.op == "and"
    return f"({constraint})" if loose else str(constraint)


def _reads(e: nodes.Expr, facts: Facts) -> Iterator[tuple[nodes.Name, Facts]]:
    """The names that are read, each with conditions that hold whenever it is."""
    if isinstance(e, nodes.Name):
        yield e, facts
    elif isinstance(e, nodes.Logical):
        for operand in e.operands:
            yield from _reads(operand, facts)
            facts = (*facts, operand if e.op == "and" else typing.unary("not", operand))
    elif isinstance(e, nodes.If):
        yield from _reads(e.condition, facts)
        yield from _reads(e.then, (*facts, e.condition))
        yield from _reads(e.otherwise, (*facts, typing.unary("not", e.condition)))
    else:
        for child in e.children:
            yield from _reads(child, facts)


def _implied(activity: Activity, facts: Facts, condition: nodes.Expr) -> bool:
    """Does the condition hold wherever the facts do?"""
    known = {part for fact in facts for part in _conjuncts(fact, negated=False)}
    if all(part in known for part in _conjuncts(condition, negated=False)):
        return True
    if not facts or any(isinstance(node, MAY_BE_UNDEFINED) for node in nodes.walk(condition)):
        return False
    from tunepass.space.feasible.conflict import is_empty

    parts = [*facts, typing.unary("not", condition)]
    names = set().union(*(nodes.free_names(part) for part in parts))
    parameters = [p for p in activity.parameters if p.name in names]
    return is_empty(parameters, [Constraint(part, to_text(part)) for part in parts], GUARD_NODES)


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _conjuncts(e: nodes.Expr, *, negated: bool) -> Iterator[nodes.Expr]:
    """Conditions that hold together exactly where `e`, or `not e`, does."""
    if isinstance(e, nodes.Unary) and e.op == "not":
        yield from _conjuncts(e.operand, negated=not negated)
    elif isinstance(e, nodes.Logical) and e.op == ("or" if negated else "and"):
        for operand in e.operands:
            yield from _conjuncts(operand, negated=negated)
    elif negated and isinstance(e, nodes.Compare) and len(e.ops) == 1:
        yield nodes.Compare(e.operands, (_OPPOSITE[e.ops[0]],))
    else:
        yield typing.unary("not", e) if negated else e
