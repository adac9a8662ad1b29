"""Rules that do not depend on the order of loops: of the expression itself, and of a nest once it is scheduled."""

from __future__ import annotations

from tunepass.diagnostics import Span
from tunepass.ir.tensor import Access, Assignment, Tensor
from tunepass.tensors.notation import Term, accesses, factors, terms
from tunepass.tensors.schedule.loops import FuseOf, NestLoop, PosOf, ScheduledNest, Statement
from tunepass.tensors.schedule.refusal import IllegalSchedule
from tunepass.tensors.schedule.requirements import is_racing


def check_expression(assignment: Assignment, tensors: tuple[Tensor, ...]) -> None:
    """Sparse operands are factors, one a term; a sparse result has the pattern of an operand of every term."""
    stored = {tensor.name: tensor for tensor in tensors}
    for term in terms(assignment.right):
        sparse = [a for a in accesses(term.product) if stored[a.tensor].format.sparse]
        multiplied = [factor for factor in factors(term.product) if isinstance(factor, Access)]
        for access in sparse:
            if access not in multiplied:
                message = f"the sparse {access.tensor} is in a sum or a divisor, and no factor of its term"
                raise IllegalSchedule("expression", message, access.span, "write the sum as terms of their own")
            if len(set(access.index)) < len(access.index):
                message = f"the sparse {access.tensor} has an index variable twice"
                raise IllegalSchedule("expression", message, access.span)
        if len(sparse) > 1:
            names = " and ".join(a.tensor for a in sparse)
            message = f"a term has one sparse operand, this one has {names}"
            raise IllegalSchedule("expression", message, sparse[1].span, "store one of them dense")
        result = stored[assignment.left.tensor]
        if result.format.sparse and not any(_has_pattern(assignment.left, result, a, stored[a.tensor]) for a in sparse):
            message = f"the sparse result {result.name} does not have the pattern of an operand of every term"
            raise IllegalSchedule(
                "expression", message, assignment.left.span, f"store {result.name} dense, or with its operand's format"
            )


def _has_pattern(left: Access, result: Tensor, access: Access, operand: Tensor) -> bool:
    """Are the result's levels the first ones of the operand?"""

    def along(index: tuple[str, ...], tensor: Tensor) -> list[tuple[str, str]]:
        return [(index[mode], level) for mode, level in zip(tensor.format.order, tensor.format.levels)]

    own = along(left.index, result)
    return along(access.index, operand)[: len(own)] == own


def check_nest(nest: ScheduledNest, span: Span | None) -> None:
    """What holds of the whole nest: races, and loops that fit every term. Raises IllegalSchedule at `span`."""
    for statement in nest.statements():
        for derivation in nest.derivations:
            match derivation:
                case FuseOf(fused=fused) if nest.leaves(fused, statement.loops):
                    _check_fused(nest, statement, fused, span)
                case PosOf(position=position) if nest.leaves(position, statement.loops):
                    _check_positions(nest, statement, derivation, span)
        for loop in nest.around(statement.workspace):
            _check_races(nest, statement, loop, span)
    threads = sorted({loop.variable for loop in nest.all_loops if loop.unit == "CPUThread"})
    twice = len([loop for loop in nest.all_loops if loop.unit == "CPUThread"]) > 1
    if twice:
        names = " and ".join(threads)
        raise IllegalSchedule("parallel", f"one loop runs on threads, and {names} would be several", span)


def _check_fused(nest: ScheduledNest, statement: Statement, fused: str, span: Span | None) -> None:
    """A term uses all coordinates of a fused loop or none; those of a compressed level are iterated by positions."""
    roots = set(nest.roots(fused))
    for term in terms(statement.expression):
        used = _used(statement, term)
        if used & roots and not roots <= used:
            raise IllegalSchedule("fused", f"a term has {_list(used & roots)} only of what is fused to {fused}", span)
        for access in term.accesses:
            tensor = nest.tensor(access.tensor)
            for mode, level in zip(tensor.format.order, tensor.format.levels) if tensor else ():
                walked = {r for d in nest.positions(statement.loops) for r in nest.roots(d.position)}
                if level == "compressed" and access.index[mode] in roots - walked:
                    message = f"{fused} holds {access.index[mode]}, of a compressed level of {access.tensor}"
                    hint = f"write pos({fused}, {fused}pos, {access.tensor}) after the fuse"
                    raise IllegalSchedule("fused", message, span, hint)


def _check_positions(nest: ScheduledNest, statement: Statement, derivation: PosOf, span: Span | None) -> None:
    """Terms that are summed over positions are zero elsewhere: the tensor is a factor of them."""
    roots = set(nest.roots(derivation.position))
    for term in terms(statement.expression):
        if _used(statement, term) & roots and not _is_zero_outside(nest, term, derivation.tensor):
            message = f"a term without {derivation.tensor} is not over positions of it, as {derivation.position} is"
            raise IllegalSchedule("position", message, span, f"leave {derivation.variable} to its coordinates")


def _is_zero_outside(nest: ScheduledNest, term: Term, tensor: str) -> bool:
    made = {workspace.name: workspace for workspace in nest.workspaces}
    for factor in factors(term.product):
        if isinstance(factor, Access):
            if factor.tensor == tensor:
                return True
            inner = made.get(factor.tensor)
            if inner and all(_is_zero_outside(nest, part, tensor) for part in terms(inner.expression)):
                return True
    return False


def _used(statement: Statement, term: Term) -> set[str]:
    return {*statement.index, *(v for access in term.accesses for v in access.index)}


def _check_races(nest: ScheduledNest, statement: Statement, loop: NestLoop, span: Span | None) -> None:
    if loop.unit == "NotParallel" or not is_racing(nest, loop.variable, statement):
        return
    summed = _list(set(nest.roots(loop.variable)) - set(statement.index))
    if loop.race == "NoRaces" or (loop.unit == "CPUThread" and loop.race == "IgnoreRaces"):
        message = f"iterations of {loop.variable} add to the same place of {statement.target}: {summed} is summed over"
        hint = "parallelize another loop, or with Atomics" if loop.unit == "CPUThread" else "write ParallelReduction"
        raise IllegalSchedule("race", message, span, hint)
    if loop.unit == "CPUVector" and loop.race in ("Atomics", "Temporary"):
        message = f"lanes of a vector do not take {loop.race}, and {summed} is summed over"
        raise IllegalSchedule("race", message, span, "write ParallelReduction")


def _list(names: set[str]) -> str:
    return " and ".join(sorted(names))
