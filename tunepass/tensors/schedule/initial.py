"""The loops of an expression before any directive: TACO's topological order of its index variables.

Levels of a sparse tensor are reached in storage order: that orders loops. Among those that may come next, the one comes
first whose tensors' earlier modes are bound, whatever their format, so that memory is walked along.
"""

from __future__ import annotations

from itertools import combinations, pairwise

from tunepass.ir.tensor import Access, Assignment, Tensor, accesses
from tunepass.tensors.notation import all_variables
from tunepass.tensors.refusal import IllegalSchedule


def initial_order(assignment: Assignment, tensors: tuple[Tensor, ...]) -> tuple[str, ...]:
    """Raises IllegalSchedule where no order serves every sparse tensor."""
    used = (assignment.left, *accesses(assignment.right))
    stored = {tensor.name: tensor for tensor in tensors}
    needed = {pair for access in used for pair in storage_order(access, stored.get(access.tensor), must=True)}
    pairs = [pair for access in used for pair in storage_order(access, stored.get(access.tensor), must=False)]
    left, order = list(all_variables(assignment)), list[str]()
    while left:
        ready = [v for v in left if not any(late == v and early in left for early, late in needed)]
        if not ready:
            culprit = next(access for access in used if (t := stored.get(access.tensor)) and t.format.sparse)
            raise IllegalSchedule(
                "concordant",
                f"no order of the loops {', '.join(left)} reaches the levels of every sparse tensor in storage order",
                culprit.span,
                "store one of them in another mode order, such as `ds:1,0`",
            )
        chosen = min(ready, key=lambda v: sum(late == v and early in left for early, late in pairs))
        left.remove(chosen)
        order.append(chosen)
    return tuple(order)


def storage_order(access: Access, tensor: Tensor | None, *, must: bool) -> list[tuple[str, str]]:
    """Pairs (earlier, later) of index variables: those that a compressed level orders, or all neighbouring ones."""
    if tensor is None or len(access.index) != len(tensor.format.order):
        return []
    along = [(access.index[mode], level) for mode, level in zip(tensor.format.order, tensor.format.levels)]
    if not must:
        return [(early, late) for (early, _), (late, _) in pairwise(along) if early != late]
    pairs = combinations(along, 2)
    return [(a, b) for (a, first), (b, second) in pairs if "compressed" in (first, second) and a != b]
