"""Nests of a C kernel for one configuration. Only kernels with nests load this, and with it what schedules them."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.ir.candidate import Request
from tunepass.ir.scop_directives import ScopNest
from tunepass.polyhedral.codegen.write import is_faithful, rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal, is_marked, planned, vectorized
from tunepass.polyhedral.schedules.plan import plan_of
from tunepass.polyhedral.schedules.tree import source_tree
from tunepass.space.configuration import Configuration


def nest_requests(nest: ScopNest, configuration: Configuration) -> tuple[Request, ...]:
    """A schedule that is not proven legal is refused; else the vector loops that the author named. Where any loop may
    be one, the compiler may leave it as it is."""
    plan, line = plan_of(nest.directives, configuration), nest.scop.pragma.line
    why = illegal(nest, configuration)
    if why:
        return (Request("unroll", line, line, "schedule the loops so", why),)
    named, hindered = vectorized(nest.scop, plan, nest.directives.independent)
    source = nest.scop.span.source
    return tuple(
        Request(
            "vectorize",
            loop.span.line - 1,
            max(source.position(s.span.end)[0] for s in nest.scop.statements if loop.name in s.loops),
            f"vectorize the loop over {loop.index}",
            f"OpenMP has no parallel loop, here over {hindered[loop.name]}, inside a vectorized one"
            if loop.name in hindered
            else "",
        )
        for loop in nest.scop.loops
        if loop.name in named
    )


def illegal(nest: ScopNest, configuration: Configuration) -> str:
    """Why the schedule must not be written; empty where it is proven legal."""
    plan = plan_of(nest.directives, configuration)
    if not is_legal(nest.scop, plan, independent=nest.directives.independent):
        return "a dependence would be turned round"
    if not is_faithful(nest.scop, plan, nest.directives.independent):
        return "isl writes loops for it that run other iterations, or in another order"
    return ""


def openmp_flags(nests: Sequence[ScopNest], configuration: Configuration) -> tuple[str, ...]:
    """What makes the compiler see the OpenMP pragmas that `vectorize` and `parallel` write."""
    active = [is_marked(n.scop, plan_of(n.directives, configuration), n.directives.independent) for n in nests]
    if any(parallel for _, parallel in active):
        return ("-fopenmp",)
    return ("-fopenmp-simd",) if any(vectorize for vectorize, _ in active) else ()


def scheduled(nest: ScopNest, configuration: Configuration, *, numbered: bool) -> str:
    """The code of a scop for one configuration."""
    plan = plan_of(nest.directives, configuration)
    if planned(nest.scop, plan, nest.directives.independent) == source_tree(nest.scop):
        return nest.scop.span.text
    return rewrite_scop(nest.scop, plan, numbered=numbered, independent=nest.directives.independent)
