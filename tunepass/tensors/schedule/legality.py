"""Rules that do not depend on the order of loops: of the expression itself, and of a nest once it is scheduled."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.diagnostics import Span
from tunepass.ir.tensor import Access, Assignment, Tensor, accesses
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.loops import FuseOf, NestLoop, PosOf, ScheduledNest, Statement, Workspace
from tunepass.tensors.schedule.operands import has_pattern, sparse_operand
from tunepass.tensors.schedule.requirements import is_racing
from tunepass.tensors.terms import Term, sum_of_products


def check_expression(assignment: Assignment, tensors: tuple[Tensor, ...]) -> None:
    """A sparse operand is a factor, each index variable once; a sparse result has the pattern of an operand of every
    term."""
    stored = {tensor.name: tensor for tensor in tensors}
    left, result = assignment.left, stored[assignment.left.tensor]
    patterns: set[str] | None = None  # operands of all terms so far that the result may have the pattern of
    for term in sum_of_products(assignment.right, left.index, tensors):
        sparse = [access for access in term.accesses() if stored[access.tensor].format.sparse]
        if twice := next((access for access in sparse if len(set(access.index)) < len(access.index)), None):
            message = f"the sparse {twice.tensor} has an index variable twice"
            raise IllegalSchedule("expression", message, left.span)
        fitting = {a.tensor for a in sparse if has_pattern(left, result, a, stored[a.tensor])}
        patterns = fitting if patterns is None else patterns & fitting
        if result.format.sparse and not patterns:
            message = f"the sparse result {result.name} does not have the pattern of an operand of every term"
            hint = f"store {result.name} dense, or with its operand's format"
            raise IllegalSchedule("expression", message, left.span, hint)
    read = next((access for access in accesses(assignment.right) if access.tensor == result.name), None)
    if read:
        raise IllegalSchedule("expression", f"{result.name} is read while it is computed", read.span)


def _check_result(nest: ScheduledNest, term: Term, span: Span | None) -> None:
    """The operand that a sparse result has the pattern of is still read with the result's index variables."""
    left, result = nest.assignment.left, nest.tensor(nest.assignment.left.tensor)
    operand = sparse_operand(nest, term)
    tensor = nest.tensor(operand.tensor) if operand else None
    fits = result and operand and tensor and has_pattern(left, result, operand, tensor)
    if result and result.format.sparse and not fits:
        message = f"the workspace has other variables than the sparse result {result.name}"
        raise IllegalSchedule("workspace", message, span, "give the workspace the result's own variables")


def _read(nest: ScheduledNest, term: Term) -> Iterator[Access]:
    """The accesses of a term, and of the workspaces that it reads."""
    for access in term.accesses():
        yield access
        for workspace in nest.workspaces:
            if workspace.name == access.tensor:
                for inner in sum_of_products(workspace.expression, workspace.workspace_variables, nest.tensors):
                    yield from _read(nest, inner)


def check_nest(nest: ScheduledNest, span: Span | None) -> None:
    """Check the whole nest: races, and loops that fit every term. Raises IllegalSchedule at `span`."""
    for statement in nest.statements():
        for term in sum_of_products(statement.expression, statement.index, nest.tensors):
            for derivation in nest.derivations:
                match derivation:
                    case FuseOf(fused=fused) if nest.leaves(fused, statement.loops):
                        _check_fused(nest, statement, term, fused, span)
                    case PosOf(position=position) if nest.leaves(position, statement.loops[statement.outer :]):
                        _check_positions(nest, statement, term, derivation, span)
            _check_workspaces(nest, statement, term, span)
            if statement.workspace is None:
                _check_result(nest, term, span)
        for loop in nest.around(statement.workspace):
            _check_races(nest, statement, loop, span)
    for workspace in nest.workspaces:
        _check_sum(nest, workspace, span)
    threads = [loop.variable for loop in nest.all_loops if loop.unit == "CPUThread"]
    if len(threads) > 1:
        names = " and ".join(sorted(set(threads)))
        raise IllegalSchedule("parallel", f"one loop runs on threads, and {names} would be several", span)


def _used(statement: Statement, term: Term) -> set[str]:
    return {*statement.index, *term.variables()}


def _check_fused(nest: ScheduledNest, statement: Statement, term: Term, fused: str, span: Span | None) -> None:
    """A term uses all coordinates of a fused loop or none; those of a compressed level are iterated by positions."""
    roots, used = set(nest.roots(fused)), _used(statement, term)
    if used & roots and not roots <= used:
        raise IllegalSchedule("fused", f"a term has {_list(used & roots)} only of what is fused to {fused}", span)
    walked = {root for d in nest.positions(statement.loops) for root in nest.roots(d.position)}
    for access in term.accesses():
        tensor = nest.tensor(access.tensor)
        for mode, level in zip(tensor.format.order, tensor.format.levels) if tensor else ():
            if level == "compressed" and access.index[mode] in roots - walked:
                message = f"{fused} holds {access.index[mode]}, of a compressed level of {access.tensor}"
                hint = f"write pos({fused}, {fused}pos, {access.tensor}) after the fuse"
                raise IllegalSchedule("fused", message, span, hint)


def _check_positions(
    nest: ScheduledNest, statement: Statement, term: Term, derivation: PosOf, span: Span | None
) -> None:
    """Terms that are summed over positions are zero elsewhere: the tensor is a factor of them."""
    roots, operand = nest.roots(derivation.position), sparse_operand(nest, term)
    if not _used(statement, term) & set(roots):
        return
    hint = f"leave {derivation.variable} to its coordinates"
    if operand is None or operand.tensor != derivation.tensor or not set(roots) <= set(operand.index):
        message = f"a term without {derivation.tensor} is not over positions of it, as {derivation.position} is"
        raise IllegalSchedule("position", message, span, hint)
    tensor = nest.tensor(operand.tensor)
    along = [operand.index[mode] for mode in tensor.format.order] if tensor else []
    looped = {root for loop in statement.loops for root in nest.roots(loop)}
    if missing := set(along[: along.index(roots[-1]) + 1] if roots[-1] in along else roots) - looped:
        message = (
            f"the positions {derivation.position} start where {_list(missing)} is, of loops around a workspace only"
        )
        raise IllegalSchedule("position", message, span, hint)


def _factors(nest: ScheduledNest, term: Term) -> set[str]:
    """Tensors that a term is a multiple of, those of the workspaces it reads too."""
    factors = {factor.tensor for factor in term.factors if isinstance(factor, Access)}
    for workspace in nest.workspaces:
        if workspace.name in factors:
            inner = sum_of_products(workspace.expression, workspace.workspace_variables, nest.tensors)
            factors |= set.intersection(*(_factors(nest, part) for part in inner))
    return factors


def _check_sum(nest: ScheduledNest, workspace: Workspace, span: Span | None) -> None:
    """A loop around a workspace walks a sparse operand where all of the workspace is a multiple of it."""
    inner = sum_of_products(workspace.expression, workspace.workspace_variables, nest.tensors)
    shared = set.intersection(*(_factors(nest, term) for term in inner))
    outside = {root for loop in nest.around(workspace.name)[: workspace.outer] for root in nest.roots(loop.variable)}
    inside = {root for loop in workspace.loops for root in nest.roots(loop.variable)}
    for access in (access for term in inner for access in _read(nest, term)):
        tensor = nest.tensor(access.tensor)
        if tensor and tensor.format.sparse and outside & set(access.index):
            if access.tensor not in shared:
                problem = f"{workspace.name} sums terms with and without {access.tensor}, inside loops that walk it"
                raise IllegalSchedule("workspace", problem, span, "precompute the terms one by one")
            if divided := outside & inside & set(access.index):
                problem = f"some loops of {_list(divided)} are inside the workspace {workspace.name}, and some outside"
                raise IllegalSchedule("workspace", problem, span, "reorder the loops before the precompute")


def _check_workspaces(nest: ScheduledNest, statement: Statement, term: Term, span: Span | None) -> None:
    """All loops around what computes a workspace, or reads one, are of its terms: none of them is there for others."""
    read = [
        workspace for workspace in nest.workspaces if workspace.name in {access.tensor for access in term.accesses()}
    ]
    if statement.workspace is None and not read:
        return
    used = _used(statement, term)
    for loop in statement.loops[max((workspace.outer for workspace in read), default=statement.outer) :]:
        if not set(nest.roots(loop)) <= used:
            message = f"the loop {loop} is around a workspace and a term that does not use it"
            raise IllegalSchedule("workspace", message, span, "precompute all of the sum, or within a term")
    for workspace in read:
        for loop in statement.loops[statement.outer : workspace.outer]:
            if unused := set(nest.roots(loop)) - used - _used_by_all(nest, workspace):
                message = f"a term of {workspace.name} does not use {_list(unused)}, and is inside its loop {loop}"
                raise IllegalSchedule("workspace", message, span, "precompute the terms one by one")


def _used_by_all(nest: ScheduledNest, workspace: Workspace) -> set[str]:
    """The variables that each term of a workspace uses, or the workspaces that it reads."""
    used = []
    for term in sum_of_products(workspace.expression, workspace.workspace_variables, nest.tensors):
        read = [inner for inner in nest.workspaces if inner.name in {access.tensor for access in term.accesses()}]
        used.append(set(term.variables()).union(*(_used_by_all(nest, inner) for inner in read)))
    return set.intersection(*used)


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
