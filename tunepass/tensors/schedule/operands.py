"""The sparse operand whose stored entries the loops of a statement go through."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.ir.tensor import Access, Tensor
from tunepass.tensors.schedule.loops import PosOf, ScheduledNest
from tunepass.tensors.terms import Term, sum_of_products


def sparse_operand(nest: ScheduledNest, term: Term) -> Access | None:
    """Of several the one whose pattern a sparse result has, else one that a directive iterates by positions, else the
    first: at its entries the others are looked for."""
    operands = tuple(dict.fromkeys(_sparse_operands(nest, term)))
    left, result = nest.assignment.left, nest.tensor(nest.assignment.left.tensor)
    if result and result.format.sparse:
        named = ((access, nest.tensor(access.tensor)) for access in operands)
        operands = tuple(a for a, tensor in named if tensor and has_pattern(left, result, a, tensor)) or operands
    iterated = {derivation.tensor for derivation in nest.derivations if isinstance(derivation, PosOf)}
    return next((access for access in operands if access.tensor in iterated), operands[0] if operands else None)


def _sparse_operands(nest: ScheduledNest, term: Term) -> Iterator[Access]:
    """The term's own, and those of workspaces all of whose terms have them: the workspace is zero elsewhere."""
    for access in term.accesses():
        tensor = nest.tensor(access.tensor)
        if tensor and tensor.format.sparse:
            yield access
        for workspace in nest.workspaces:
            if workspace.name == access.tensor:
                inner = sum_of_products(workspace.expression, workspace.workspace_variables, nest.tensors)
                operands = {sparse_operand(nest, part) for part in inner}
                operand = operands.pop() if len(operands) == 1 else None
                if operand:
                    yield operand


def has_pattern(left: Access, result: Tensor, access: Access, operand: Tensor) -> bool:
    """Are the result's levels the first ones of the operand?"""

    def along(index: tuple[str, ...], tensor: Tensor) -> list[tuple[str, str]]:
        return [(index[mode], level) for mode, level in zip(tensor.format.order, tensor.format.levels)]

    levels = along(left.index, result)
    return along(access.index, operand)[: len(levels)] == levels
