"""Why a space is empty: a smallest set of constraints, none of which can go, that no configuration meets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.diagnostics import Diagnostic, Severity, SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.feasible.diagram.compiled import CompiledConstraints, listed_group
from tunepass.space.feasible.masks import met
from tunepass.space.feasible.ranges.contraction import contradictory
from tunepass.space.parameter import Parameter

DRAWS = 4096  # by which the share of a constraint is estimated


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
        if contradictory(members, [constraints[i].expression for i in numbers]):
            return True
        try:
            compiled = CompiledConstraints(members, [constraints[i].expression for i in numbers])
            if compiled.listed and listed_group(compiled, node_limit).size == 0:
                return True
        except TooLarge:
            continue
    return False


def not_found(parameters: Sequence[Parameter], unmet: Sequence[Constraint]) -> tuple[Diagnostic, ...]:
    """Diagnostics if sampling, which proves nothing, finds no configuration and the defaults break `unmet`."""
    counts = _holding(parameters, unmet)
    first, *others = sorted(unmet, key=lambda c: counts[c])
    hint = "give its parameters fewer values, such as a list or multiples, or defaults that meet it"
    message = f"no configuration was found that meets this constraint: {first.text} ({_share(counts[first])})"
    notes = (
        Diagnostic(f"and this one: {c.text} ({_share(counts[c])})", c.span, severity=Severity.NOTE) for c in others
    )
    return (Diagnostic(message, first.span, hint), *notes)


def nothing_new(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> Diagnostic:
    """Diagnostic if sampling finds no configuration besides those known already."""
    message = (
        "sampling found no configuration that was not suggested or observed before, which is no proof that none is"
    )
    if not constraints:
        return Diagnostic(message)
    counts = _holding(parameters, constraints)
    rarest = min(constraints, key=lambda c: counts[c])
    hint = "give its parameters fewer values, such as a list or multiples, so that the space is counted"
    return Diagnostic(f"{message}; the rarest constraint: {rarest.text} ({_share(counts[rarest])})", rarest.span, hint)


def _holding(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> dict[Constraint, int]:
    """In how many of DRAWS uniform draws of the parameters each constraint holds."""
    rng = np.random.default_rng(0)
    columns = {p.name: p.draw(DRAWS, rng) for p in parameters}
    return {c: int(np.count_nonzero(met([c.expression], columns, DRAWS))) for c in constraints}


def _share(count: int) -> str:
    if not count:
        return f"it holds in none of {DRAWS} draws"
    return f"it holds in {100 * count / DRAWS:.2g} % of uniform draws"


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
