"""The pragmas of CUDA and OpenCL sources, and which kernel each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.pragmas.groups import no_duplicates
from tunepass.frontends.c.pragmas.pragma import (
    ConstraintPragma,
    ModelPragma,
    parse_by_kind,
    parse_constraint,
    parse_model,
)
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.gpu.pragmas.kernel import GpuKernelPragma, parse_gpu_kernel
from tunepass.frontends.gpu.pragmas.work import AccessPragma, WorkPragma, parse_access, parse_work
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor

GpuPragma = ParamText | ConstraintPragma | ModelPragma | GpuKernelPragma | WorkPragma | AccessPragma

PARSERS: dict[str, Callable[[Cursor], GpuPragma]] = {
    "param": parse_param,
    "constraint": parse_constraint,
    "model": parse_model,
    "kernel": parse_gpu_kernel,
    "work": parse_work,
    "access": parse_access,
}
BELONGS = "a `param` belongs to the kernel whose function follows; after the last function, to the last kernel"


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """A kernel's own pragma and all that belong to it."""

    target: GpuKernelPragma
    params: tuple[ParamText, ...]
    constraints: tuple[ConstraintPragma, ...]
    models: tuple[ModelPragma, ...]
    work: tuple[WorkPragma, ...]
    accesses: tuple[AccessPragma, ...]


def parse_gpu_pragma(cursor: Cursor) -> GpuPragma:
    return parse_by_kind(cursor, PARSERS)


def group(pragmas: Sequence[GpuPragma], definitions: Mapping[str, FunctionDefinition]) -> list[GpuGroup]:
    """One group per `kernel`, in the source's order."""
    targets = [p for p in pragmas if isinstance(p, GpuKernelPragma)]
    if not targets:
        hint = "add `kernel NAME(…) grid(…) block(…)` for a function of this file"
        raise SourceError("no `kernel` pragma in this file says how to judge a configuration", pragmas[0].span, hint)
    no_duplicates([p for p in pragmas if isinstance(p, ParamText)], "parameter")
    no_duplicates([t.call for t in targets], "kernel")
    owned = [(owner(p.span.start, targets, definitions), p) for p in pragmas]
    groups = [_group(target, [p for its, p in owned if its is target]) for target in targets]
    for found in groups:
        if len(found.work) > 1:
            message = f"the work of `{found.target.call.name}` is given twice"
            raise SourceError(message, found.work[1].span, f"the first is at {found.work[0].span}")
    return groups


def _group(target: GpuKernelPragma, pragmas: Sequence[GpuPragma]) -> GpuGroup:
    return GpuGroup(
        target,
        tuple(p for p in pragmas if isinstance(p, ParamText)),
        tuple(p for p in pragmas if isinstance(p, ConstraintPragma)),
        tuple(p for p in pragmas if isinstance(p, ModelPragma)),
        tuple(p for p in pragmas if isinstance(p, WorkPragma)),
        tuple(p for p in pragmas if isinstance(p, AccessPragma)),
    )


def owner(
    start: int, targets: Sequence[GpuKernelPragma], definitions: Mapping[str, FunctionDefinition]
) -> GpuKernelPragma:
    """The kernel in whose function `start` is, or whose own pragma is the last before that function and before
    `start`; else the first kernel after it; else the last."""
    for target, following in zip_longest(targets, targets[1:]):
        function = definitions.get(target.call.name)
        if function is None:
            continue
        last = following is None or not target.span.start < following.span.start < function.start
        begins = min(target.span.start, function.start) if last else function.start
        if begins <= start < function.body_end:
            return target
    return next((t for t in targets if t.span.start > start), targets[-1])
