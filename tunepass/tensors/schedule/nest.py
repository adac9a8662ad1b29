"""A kernel's directives and a configuration to its concrete loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tunepass.diagnostics import Span
from tunepass.ir.tensor import Reorder, TensorKernel
from tunepass.space.configuration import Value
from tunepass.tensors.refusal import IllegalSchedule as IllegalSchedule
from tunepass.tensors.schedule.apply import applied
from tunepass.tensors.schedule.derivations import check_directive
from tunepass.tensors.schedule.initial import initial_order
from tunepass.tensors.schedule.legality import check_expression, check_nest
from tunepass.tensors.schedule.loops import BoundOf as BoundOf
from tunepass.tensors.schedule.loops import Derivation as Derivation
from tunepass.tensors.schedule.loops import DivideBy as DivideBy
from tunepass.tensors.schedule.loops import FuseOf as FuseOf
from tunepass.tensors.schedule.loops import NestLoop as NestLoop
from tunepass.tensors.schedule.loops import PosOf as PosOf
from tunepass.tensors.schedule.loops import ScheduledNest as ScheduledNest
from tunepass.tensors.schedule.loops import SplitBy as SplitBy
from tunepass.tensors.schedule.loops import Statement as Statement
from tunepass.tensors.schedule.loops import Workspace as Workspace
from tunepass.tensors.schedule.requirements import must_hold


def scheduled_nest(body: TensorKernel, values: Mapping[str, Value]) -> ScheduledNest:
    """The loops that `values` ask for. Raises IllegalSchedule, which names the rule that they break."""
    nest = unordered_nest(body, values)
    must_hold(nest, order_span(body))
    return _without_outer_vectors(nest)


def unordered_nest(body: TensorKernel, values: Mapping[str, Value]) -> ScheduledNest:
    """As `scheduled_nest`, but what is required of the order of loops may not hold."""
    check_expression(body.assignment, body.tensors)
    extents = known_extents(body)
    nest = unscheduled_nest(body)
    for directive in body.schedule:
        nest = applied(nest, directive, values)
        check_directive(nest, directive, extents)
    check_nest(nest, body.schedule[-1].span if body.schedule else body.assignment.left.span)
    return nest


def unscheduled_nest(body: TensorKernel) -> ScheduledNest:
    """The loops before any directive."""
    order = initial_order(body.assignment, body.tensors)
    return ScheduledNest(
        assignment=body.assignment, tensors=body.tensors, loops=tuple(NestLoop(variable) for variable in order)
    )


def order_span(body: TensorKernel) -> Span | None:
    """Span of the order of the loops."""
    reorders = [directive.span for directive in body.schedule if isinstance(directive, Reorder)]
    return next(iter([*reorders[::-1], *(d.span for d in body.schedule[-1:]), body.assignment.left.span]))


def known_extents(body: TensorKernel) -> dict[str, int]:
    """Extents of index variables, as far as they are stated or the data says them."""
    extents = dict(body.extents)
    for statistics in body.statistics:
        tensor = body.tensor(statistics.tensor)
        for mode, level in zip(tensor.format.order, statistics.levels):
            extents.setdefault(tensor.index[mode], level.extent)
    return extents


def _without_outer_vectors(nest: ScheduledNest) -> ScheduledNest:
    """A vector is a hint, as it is for TACO, and given up where OpenMP forbids it: around a loop on threads."""
    workspaces = tuple(
        replace(w, loops=tuple(_plain_outside_threads(w.loops, nest.around(w.name)))) for w in nest.workspaces
    )
    threads_of_workspaces = [nest.around(w.name) for w in nest.workspaces]
    loops = nest.loops
    for around in (nest.loops, *threads_of_workspaces):
        loops = tuple(_plain_outside_threads(loops, around))
    return replace(nest, loops=loops, workspaces=workspaces)


def _plain_outside_threads(loops: tuple[NestLoop, ...], around: tuple[NestLoop, ...]) -> Iterator[NestLoop]:
    threads = [number for number, loop in enumerate(around) if loop.unit == "CPUThread"]
    for loop in loops:
        outside = [
            n for n, other in enumerate(around) if other.variable == loop.variable and n < max(threads, default=-1)
        ]
        yield replace(loop, unit="NotParallel", race="IgnoreRaces") if loop.unit == "CPUVector" and outside else loop
