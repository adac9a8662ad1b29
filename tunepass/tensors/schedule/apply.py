"""One directive with its numbers filled in: a nest becomes another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunepass.diagnostics import ExpressionError, Span, spelling_hint
from tunepass.expr.nodes import Constant, Expr
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.ir import tensor as t
from tunepass.space.configuration import Value
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.loops import (
    BoundOf,
    Derivation,
    DivideBy,
    FuseOf,
    NestLoop,
    PosOf,
    ScheduledNest,
    SplitBy,
)
from tunepass.tensors.schedule.precompute import precomputed

POLICIES = ("static", "dynamic")


def applied(nest: ScheduledNest, directive: t.Directive, values: Mapping[str, Value]) -> ScheduledNest:
    """Raises IllegalSchedule."""
    span = directive.span
    match directive:
        case t.Split(variable, outer, inner, factor):
            size = _count(factor, values, f"the factor of split({variable})", span)
            return _derived(nest, (variable,), (outer, inner), SplitBy(variable, outer, inner, size), span)
        case t.Divide(variable, outer, inner, factor):
            size = _count(factor, values, f"the factor of divide({variable})", span)
            return _derived(nest, (variable,), (outer, inner), DivideBy(variable, outer, inner, size), span)
        case t.Fuse(outer, inner, fused):
            return _derived(nest, (outer, inner), (fused,), FuseOf(outer, inner, fused), span)
        case t.Pos(variable, position, tensor):
            return _derived(nest, (variable,), (position,), PosOf(variable, position, tensor), span)
        case t.Bound(variable, bounded, extent, kind):
            size = _count(extent, values, f"the extent of bound({variable})", span)
            return _derived(nest, (variable,), (bounded,), BoundOf(variable, bounded, size, kind), span)
        case t.Reorder():
            return _reordered(nest, directive, values)
        case t.Precompute():
            return precomputed(nest, directive)
        case t.Unroll(variable, factor):
            _must_be_loops(nest, (variable,), span)
            count = _count(factor, values, f"the factor of unroll({variable})", span)
            return _marked(nest, variable, unroll=count)
        case t.Parallelize():
            return _parallelized(nest, directive, values)


def _count(e: Expr, values: Mapping[str, Value], subject: str, span: Span | None) -> int:
    """A number of 1 or more."""
    value = _value(e, values)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise IllegalSchedule("factor", f"{subject} is a whole number of 1 or more, got {value}", e.span or span)
    return value


def _value(e: Expr, values: Mapping[str, Value]) -> Value:
    if isinstance(e, Constant):
        return e.value
    try:
        return evaluate(e, dict(values))
    except (UndefinedValue, OverflowValue, ExpressionError):
        raise IllegalSchedule("factor", "the expression has no value here", e.span) from None


def _must_be_loops(nest: ScheduledNest, variables: tuple[str, ...], span: Span | None) -> None:
    names = [loop.variable for loop in nest.all_loops]
    for variable in variables:
        if variable not in names:
            hint = spelling_hint(variable, names, f"the loops are {', '.join(names)}")
            replaced = any(variable in nest.ancestors(name) for name in names)
            why = "has been replaced by loops derived from it" if replaced else "is not one"
            raise IllegalSchedule("variable", f"a directive names a loop, and `{variable}` {why}", span, hint)


def _derived(
    nest: ScheduledNest, old: tuple[str, ...], new: tuple[str, ...], derivation: Derivation, span: Span | None
) -> ScheduledNest:
    """The loops `old`, directly inside each other, become the loops `new`."""
    _must_be_loops(nest, old, span)
    _must_be_new(nest, new, span)
    _must_not_be_parallel(nest, old, span)
    loops = tuple(NestLoop(name) for name in new)
    return replace(_rewritten(nest, old, loops, span), derivations=(*nest.derivations, derivation))


def _must_be_new(nest: ScheduledNest, new: tuple[str, ...], span: Span | None) -> None:
    used = {name for loop in nest.all_loops for name in nest.ancestors(loop.variable)}
    used |= {tensor.name for tensor in nest.tensors} | {workspace.name for workspace in nest.workspaces}
    for number, name in enumerate(new):
        if name in used or name in new[:number]:
            raise IllegalSchedule("name", f"`{name}` is in use already", span, "give the new loop a name of its own")


def _must_not_be_parallel(nest: ScheduledNest, variables: tuple[str, ...], span: Span | None) -> None:
    for loop in nest.all_loops:
        if loop.variable in variables and loop.unit != "NotParallel":
            raise IllegalSchedule(
                "parallel",
                f"the loop {loop.variable} is parallelized already",
                span,
                "write parallelize after the directives that rewrite its loop",
            )


def _reordered(nest: ScheduledNest, reorder: t.Reorder, values: Mapping[str, Value]) -> ScheduledNest:
    order: tuple[str, ...] = reorder.variables
    if reorder.parameter is not None:
        chosen = values[reorder.parameter]
        assert isinstance(chosen, tuple), f"{reorder.parameter} is an order"
        order = tuple(str(item) if isinstance(item, str) else reorder.variables[item] for item in chosen)
    _must_be_loops(nest, order, reorder.span)
    if len(set(order)) < len(order):
        raise IllegalSchedule("nested", "reorder names a loop twice", reorder.span)
    _must_not_be_parallel(nest, order, reorder.span)
    marks = {loop.variable: loop for loop in nest.all_loops}
    return _rewritten(nest, order, tuple(marks[name] for name in order), reorder.span)


def _rewritten(
    nest: ScheduledNest, old: tuple[str, ...], new: tuple[NestLoop, ...], span: Span | None
) -> ScheduledNest:
    """The block of the loops `old` replaced in every statement that has one of them; raises where it is no block."""
    changed = [_block_replaced(nest, None, old, new, span)]
    changed += [_block_replaced(nest, workspace.name, old, new, span) for workspace in nest.workspaces]
    workspaces = tuple(
        replace(workspace, loops=loops, outer=_moved(nest, workspace.parent, workspace.outer, old, new))
        for workspace, loops in zip(nest.workspaces, changed[1:])
    )
    return replace(nest, loops=changed[0], workspaces=workspaces)


def _block_replaced(
    nest: ScheduledNest, statement: str | None, old: tuple[str, ...], new: tuple[NestLoop, ...], span: Span | None
) -> tuple[NestLoop, ...]:
    loops = nest.loops if statement is None else nest.workspace(statement).loops
    at = [number for number, loop in enumerate(loops) if loop.variable in old]
    if not at:
        return loops
    first, last = at[0], at[0] + len(old)
    inner_marks = [w.outer for w in nest.workspaces if w.parent == statement]
    shift = 0 if statement is None else len(nest.around(statement)) - len(loops)
    between = any(first < mark - shift < last for mark in inner_marks)
    if len(at) < len(old) or at[-1] >= last or between or (len(new) == 1 and _names(loops[first:last]) != old):
        raise _not_nested(old, span)
    return loops[:first] + new + loops[last:]


def _names(loops: tuple[NestLoop, ...]) -> tuple[str, ...]:
    return tuple(loop.variable for loop in loops)


def _not_nested(old: tuple[str, ...], span: Span | None) -> IllegalSchedule:
    return IllegalSchedule(
        "nested",
        f"the loops {', '.join(old)} do not stand directly inside each other",
        span,
        "name all loops of a block, or reorder first",
    )


def _moved(nest: ScheduledNest, parent: str | None, outer: int, old: tuple[str, ...], new: tuple[NestLoop, ...]) -> int:
    """How many loops are around a workspace, once the block `old` is `new`."""
    replaced = [loop for loop in nest.around(parent)[:outer] if loop.variable in old]
    return outer + len(new) - len(old) if replaced else outer


def _marked(nest: ScheduledNest, variable: str, *, unroll: int) -> ScheduledNest:
    return _with_loop(nest, replace(nest.loop(variable), unroll=unroll))


def _with_loop(nest: ScheduledNest, new: NestLoop) -> ScheduledNest:
    def exchanged(loops: tuple[NestLoop, ...]) -> tuple[NestLoop, ...]:
        return tuple(new if loop.variable == new.variable else loop for loop in loops)

    workspaces = tuple(replace(workspace, loops=exchanged(workspace.loops)) for workspace in nest.workspaces)
    return replace(nest, loops=exchanged(nest.loops), workspaces=workspaces)


def _parallelized(nest: ScheduledNest, directive: t.Parallelize, values: Mapping[str, Value]) -> ScheduledNest:
    variable, span = directive.variable, directive.span
    _must_be_loops(nest, (variable,), span)
    _must_not_be_parallel(nest, (variable,), span)
    policy = None if directive.policy is None else _value(directive.policy, values)
    if policy is not None and policy not in POLICIES:
        known = " or ".join(POLICIES)
        raise IllegalSchedule("parallel", f"the schedule of threads is {known}, got {policy}", span)
    chunk = None if directive.chunk is None else _count(directive.chunk, values, "the chunk of threads", span)
    threads = None if directive.threads is None else _count(directive.threads, values, "the number of threads", span)
    marked = replace(
        nest.loop(variable),
        unit=directive.unit,
        race=directive.race,
        policy=None if policy is None else str(policy),
        chunk=chunk,
        threads=threads,
    )
    return _with_loop(nest, marked)
