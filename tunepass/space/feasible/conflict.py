"""Why a space is empty: a smallest set of constraints, none of which can go, that no configuration meets."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Diagnostic, Severity, SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.compile import TooLarge
from tunepass.space.feasible.compiled import CompiledConstraints, listed_group
from tunepass.space.feasible.components import components
from tunepass.space.parameter import Parameter


def conflicting(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int
) -> tuple[Constraint, ...]:
    """Deletion: a constraint without which the rest is still empty is dropped. Minimal, not always smallest."""
    required = list(constraints)
    for c in constraints:
        without = [k for k in required if k is not c]
        if is_empty(parameters, without, node_limit):
            required = without
    return tuple(required)


def is_empty(parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int) -> bool:
    """No configuration meets all constraints; False also where the diagram grows too large to tell."""
    if any(not c.names and not satisfied(c.expression, {}, 1)[0] for c in constraints):
        return True
    for names, numbers in components(parameters, constraints):
        members = [p for p in parameters if p.name in names]
        if not numbers:
            continue
        try:
            compiled = CompiledConstraints(members, [constraints[i].expression for i in numbers])
            if compiled.listed and listed_group(compiled, node_limit).size == 0:
                return True
        except TooLarge:
            continue
    return False


def not_found(unmet: Sequence[Constraint]) -> tuple[Diagnostic, ...]:
    """Diagnostics if sampling, which proves nothing, finds no configuration and the defaults break `unmet`."""
    first, *others = unmet
    hint = "give its parameters fewer values, such as a list or multiples, or defaults that meet it"
    head = Diagnostic(f"no configuration was found that meets this constraint: {first.text}", first.span, hint)
    return (head, *(Diagnostic(f"and this one: {c.text}", c.span, severity=Severity.NOTE) for c in others))


def describe(constraints: Sequence[Constraint]) -> SpaceError:
    """The error of an empty space: the first constraint, and every other as a note."""
    if len(constraints) == 1:
        return SpaceError(
            f"the space is empty: no value meets this constraint: {constraints[0].text}", constraints[0].span
        )
    head = Diagnostic(
        f"the space is empty: no configuration meets these {len(constraints)} constraints together: "
        + "; ".join(c.text for c in constraints),
        constraints[0].span,
        "drop or relax one of them",
    )
    notes = [Diagnostic(f"conflicts with: {c.text}", c.span, severity=Severity.NOTE) for c in constraints[1:]]
    return SpaceError([head, *notes])
