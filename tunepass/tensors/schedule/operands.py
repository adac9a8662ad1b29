"""The sparse operand whose stored entries the loops of a statement go through."""

from __future__ import annotations

from tunepass.ir.tensor import Access
from tunepass.tensors.schedule.loops import ScheduledNest
from tunepass.tensors.terms import Term, sum_of_products


def sparse_operand(nest: ScheduledNest, term: Term) -> Access | None:
    """The term's own, or that of a workspace all of whose terms have it: the workspace is zero elsewhere."""
    for access in term.accesses():
        tensor = nest.tensor(access.tensor)
        found = access if tensor and tensor.format.sparse else None
        for made in nest.workspaces:
            if made.name == access.tensor:
                inner = sum_of_products(made.expression, made.workspace_variables, nest.tensors)
                operands = {sparse_operand(nest, part) for part in inner}
                found = operands.pop() if len(operands) == 1 else None
        if found:
            return found
    return None
