"""Which pragma belongs to which kernel, and doing many things while keeping every diagnostic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tunepass.diagnostics import Diagnostic, Source, SourceError, Span, TunepassError
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.c.pragmas.loop import LoopPragma
from tunepass.frontends.c.pragmas.pragma import (
    ConstraintPragma,
    ModelPragma,
    ParamPragma,
    Pragma,
    RunPragma,
)
from tunepass.frontends.c.syntax.definitions import FunctionDefinition

T = TypeVar("T")
R = TypeVar("R")
Target = KernelPragma | RunPragma

BELONGS = "a `param` belongs to the first `kernel` or `run` after it; after the last, to the last"


@dataclass(frozen=True, slots=True)
class PragmaGroup:
    """A kernel's own pragma and all that belong to it."""

    target: Target
    params: tuple[ParamPragma, ...]
    constraints: tuple[ConstraintPragma, ...]
    loops: tuple[LoopPragma, ...]
    models: tuple[ModelPragma, ...]


def group(
    pragmas: Sequence[Pragma], definitions: Mapping[str, FunctionDefinition], source: Source
) -> list[PragmaGroup]:
    """One group per `kernel` or `run`, in the source's order."""
    if not pragmas:
        raise SourceError("this file has no tunepass pragma", source.span(0, 0), "docs/pragmas.md shows how to begin")
    targets = [p for p in pragmas if isinstance(p, (KernelPragma, RunPragma))]
    if not targets:
        raise SourceError(
            "no `kernel` or `run` pragma in this file says how to judge a configuration",
            pragmas[0].span,
            'add `kernel NAME(…)` for a function, or `run "./a.out"` for a program',
        )
    owned = [(owner(p.span.start, targets, definitions), p) for p in pragmas]
    return [
        PragmaGroup(
            target,
            tuple(p for target_of_pragma, p in owned if target_of_pragma is target and isinstance(p, ParamPragma)),
            tuple(p for target_of_pragma, p in owned if target_of_pragma is target and isinstance(p, ConstraintPragma)),
            tuple(p for target_of_pragma, p in owned if target_of_pragma is target and isinstance(p, LoopPragma)),
            tuple(p for target_of_pragma, p in owned if target_of_pragma is target and isinstance(p, ModelPragma)),
        )
        for target in targets
    ]


def owner(start: int, targets: Sequence[Target], definitions: Mapping[str, FunctionDefinition]) -> Target:
    """The kernel in whose function `start` is; else the first `kernel` or `run` after it; else the last."""
    for target in targets:
        function = definitions.get(target.name) if isinstance(target, KernelPragma) else None
        if function and function.body_start <= start < function.body_end:
            return target
    return next((t for t in targets if t.span.start > start), targets[-1])


def no_duplicates(pragmas: Sequence[ParamPragma | Target], what: str) -> None:
    first: dict[str, Span] = {}
    problems: list[Diagnostic] = []
    for pragma in pragmas:
        name = "" if isinstance(pragma, RunPragma) else pragma.name
        if name in first:
            shown = f"{what} `{name}`" if name else "a `run` pragma"
            problems.append(Diagnostic(f"{shown} is given twice", pragma.span, f"the first is at {first[name]}"))
        first.setdefault(name, pragma.span)
    if problems:
        raise SourceError(problems)


def each(items: Sequence[T], step: Callable[[T], R]) -> list[R]:
    """`step` of every item; raises once, with what went wrong in all of them."""
    results: list[R] = []
    problems: list[Diagnostic] = []
    for item in items:
        try:
            results.append(step(item))
        except TunepassError as error:  # noqa: PERF203 (all that is wrong, not only the first)
            problems += error.diagnostics
    if problems:
        raise SourceError(problems)
    return results
