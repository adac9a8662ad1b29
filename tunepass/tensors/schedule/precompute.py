"""`precompute`: a part of the expression is computed into a workspace by loops of its own.

Loops are given out from the inside: one of the workspace's variables goes to both statements, one that only one of them
uses goes to it, and from the first that both use on, all are around both (TACO's rule).
"""

from __future__ import annotations

from dataclasses import replace

from tunepass.ir.tensor import Access, Precompute, TensorExpr, accesses
from tunepass.tensors.notation import contains, expression_text, is_linear, renamed, replaced, variables
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.loops import NestLoop, ScheduledNest, Statement, Workspace
from tunepass.tensors.terms import sum_of_products

DEFAULT_NAME = "workspace"


def precomputed(nest: ScheduledNest, directive: Precompute) -> ScheduledNest:
    """Raises IllegalSchedule."""
    reader = next((s for s in nest.statements() if contains(s.expression, directive.expression)), None)
    name = directive.workspace or DEFAULT_NAME
    _check(nest, directive, reader, name)
    assert reader is not None
    names = dict(zip(directive.variables, directive.workspace_variables))
    read = Access(name, directive.variables)
    left = replaced(reader.expression, directive.expression, read)
    used_by_reader = {*variables(left), *reader.index}
    used_by_producer = {*variables(directive.expression), *directive.variables}
    around = nest.around(reader.workspace)
    reader_loops = nest.loops if reader.workspace is None else nest.workspace(reader.workspace).loops
    shared = max((w.outer for w in nest.workspaces if w.parent == reader.workspace), default=0)
    outer_count = max(
        0, shared - (len(around) - len(reader_loops))
    )  # loops around an earlier workspace stay around this one
    given = _given_out(nest, reader_loops[outer_count:], set(directive.variables), used_by_reader, used_by_producer)
    outer, consumer, producer = reader_loops[:outer_count] + given[0], given[1], given[2]
    shared_loops = (*around[: len(around) - len(reader_loops)], *outer)
    late = [v for v in directive.variables for loop in shared_loops if v in nest.roots(loop.variable)]
    if late:
        message = f"{late[0]} stands outside of a loop that both what is precomputed and the rest of the expression use"
        raise IllegalSchedule("workspace", message, directive.span, f"reorder: {late[0]} inside, or leave it out")
    workspace = Workspace(
        name,
        renamed(directive.expression, names),
        directive.variables,
        directive.workspace_variables,
        reader.workspace,
        len(around) - len(reader_loops) + len(outer),
        tuple(replace(loop, variable=names.get(loop.variable, loop.variable)) for loop in producer),
    )
    return _with_workspace(nest, reader.workspace, _with_expression(nest, reader, left), outer + consumer, workspace)


def _check(nest: ScheduledNest, directive: Precompute, reader: Statement | None, name: str) -> None:
    span = directive.span
    text = expression_text(directive.expression)
    if reader is None:
        raise IllegalSchedule("workspace", f"`{text}` is not a part of the expression", span, "write it as it is there")
    if not is_linear(reader.expression, directive.expression):
        raise IllegalSchedule("workspace", f"`{text}` is a divisor, and no factor or term", span)
    if len(directive.variables) != len(directive.workspace_variables):
        raise IllegalSchedule("workspace", "precompute takes as many workspace variables as variables", span)
    if any(len(set(names)) < len(names) for names in (directive.variables, directive.workspace_variables)):
        raise IllegalSchedule("workspace", "precompute names a variable twice", span)
    if not list(accesses(directive.expression)) or any(
        other.name in {access.tensor for access in accesses(directive.expression)} for other in nest.workspaces
    ):
        message = f"`{text}` reads a workspace" if nest.workspaces else f"`{text}` reads no tensor"
        raise IllegalSchedule("workspace", message, span, "precompute the larger part first")
    for old, new in zip(directive.variables, directive.workspace_variables):
        if old not in variables(directive.expression):
            raise IllegalSchedule("variable", f"`{old}` is no index variable of `{text}`", span)
        if new != old:
            _check_renaming(nest, directive, old, new)
    for term in sum_of_products(directive.expression, variables(directive.expression), nest.tensors):
        if set(directive.variables) - set(term.variables()):
            message = f"a term of `{text}` does not use all of {', '.join(directive.variables)}"
            raise IllegalSchedule("workspace", message, span, "precompute that term on its own, or leave it out")
    if nest.tensor(name) or any(workspace.name == name for workspace in nest.workspaces):
        raise IllegalSchedule("name", f"`{name}` is in use already", span, "give the workspace a name of its own")


def _check_renaming(nest: ScheduledNest, directive: Precompute, old: str, new: str) -> None:
    used = {name for loop in nest.all_loops for name in nest.ancestors(loop.variable)}
    if new in used:
        raise IllegalSchedule("name", f"`{new}` is in use already", directive.span)
    if nest.leaves(old) != (old,):
        raise IllegalSchedule(
            "workspace",
            f"`{old}` has been replaced by loops derived from it",
            directive.span,
            "precompute first, or give the workspace the same variable",
        )


def _given_out(
    nest: ScheduledNest, loops: tuple[NestLoop, ...], both: set[str], reader: set[str], producer: set[str]
) -> tuple[tuple[NestLoop, ...], tuple[NestLoop, ...], tuple[NestLoop, ...]]:
    """The loops around both statements, those of the reader, those of the producer."""
    of_reader: list[NestLoop] = []
    of_producer: list[NestLoop] = []
    for number in range(len(loops) - 1, -1, -1):
        roots = set(nest.roots(loops[number].variable))
        if roots <= both:
            of_reader.insert(0, loops[number])
            of_producer.insert(0, loops[number])
        elif roots & reader and not roots & producer:
            of_reader.insert(0, loops[number])
        elif roots & producer and not roots & reader:
            of_producer.insert(0, loops[number])
        else:
            return loops[: number + 1], tuple(of_reader), tuple(of_producer)
    return (), tuple(of_reader), tuple(of_producer)


def _with_expression(nest: ScheduledNest, statement: Statement, expression: TensorExpr) -> ScheduledNest:
    if statement.workspace is None:
        return replace(nest, assignment=replace(nest.assignment, right=expression))
    workspaces = tuple(
        replace(w, expression=expression) if w.name == statement.workspace else w for w in nest.workspaces
    )
    return replace(nest, workspaces=workspaces)


def _with_workspace(
    before: ScheduledNest, reader: str | None, nest: ScheduledNest, loops: tuple[NestLoop, ...], workspace: Workspace
) -> ScheduledNest:
    if reader is None:
        return replace(nest, loops=loops, workspaces=(*nest.workspaces, workspace))
    workspaces = tuple(replace(w, loops=loops) if w.name == reader else w for w in nest.workspaces)
    return replace(nest, workspaces=(*workspaces, workspace))
