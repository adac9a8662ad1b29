"""Which pragma belongs to which kernel, and doing many things while keeping every diagnostic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tunepass.diagnostics import Diagnostic, Source, SourceError, Span
from tunepass.frontends.c.pragmas.auto import PROGRAM, AutoPragma
from tunepass.frontends.c.pragmas.hint import HintPragma
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.c.pragmas.nest import NestPragma
from tunepass.frontends.c.pragmas.pragma import (
    ConstraintPragma,
    ModelPragma,
    Pragma,
)
from tunepass.frontends.c.pragmas.run import RunPragma
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.params.param import ParamText

T = TypeVar("T")
R = TypeVar("R")
Target = KernelPragma | RunPragma


class Named(Protocol):
    """A pragma that gives something its name; the span is that of the name."""

    @property
    def name(self) -> str: ...
    @property
    def span(self) -> Span: ...


BELONGS = "a `param` belongs to the first `kernel` or `run` after it; after the last, to the last"


@dataclass(frozen=True, slots=True)
class PragmaGroup:
    """A kernel's own pragma and all that belong to it."""

    target: Target
    params: tuple[ParamText, ...]
    constraints: tuple[ConstraintPragma, ...]
    autos: tuple[AutoPragma, ...]
    scheduled: tuple[NestPragma, ...]
    models: tuple[ModelPragma, ...]
    hints: tuple[HintPragma, ...]


def group(
    pragmas: Sequence[Pragma],
    definitions: Mapping[str, FunctionDefinition],
    others: Sequence[tuple[str, FunctionDefinition]] = (),
) -> list[PragmaGroup]:
    """One group per `kernel` or `run`, in the source's order; where only loops are marked, the program is run. `others`
    are a kernel's definitions in other branches, by its name."""
    targets = [p for p in pragmas if isinstance(p, (KernelPragma, RunPragma))]
    if not targets:
        targets = [_program(pragmas, definitions)]
    else:
        _no_clauses(pragmas)
    bodies = list(_bodies(targets, definitions, others))
    of_target: dict[int, list[Pragma]] = {id(target): [] for target in targets}
    for pragma in pragmas:
        of_target[id(owner(pragma.span.start, targets, bodies))].append(pragma)
    return [_group(target, of_target[id(target)]) for target in targets]


def _bodies(
    targets: Sequence[Target],
    definitions: Mapping[str, FunctionDefinition],
    others: Sequence[tuple[str, FunctionDefinition]],
) -> Iterator[tuple[int, int, Target]]:
    """The ranges of the kernels' functions."""
    further: dict[str, list[FunctionDefinition]] = {}
    for name, function in others:
        further.setdefault(name, []).append(function)
    for target in targets:
        if isinstance(target, KernelPragma):
            usual = [definitions[target.name]] if target.name in definitions else []
            for function in (*usual, *further.get(target.name, ())):
                yield function.body_start, function.body_end, target


def reading_one(groups: Sequence[PragmaGroup], only: str | None) -> list[PragmaGroup]:
    """The group of the kernel `only`, and those before it whose nests give its own their numbers; all without one."""
    place = next(
        (k for k, g in enumerate(groups) if isinstance(g.target, KernelPragma) and g.target.name == only), None
    )
    if place is None:
        return list(groups)
    earlier = [g for g in groups[:place] if g.autos and groups[place].autos]
    return [*earlier, groups[place]]


def refuse_none(pragmas: Sequence[object], source: Source) -> None:
    """A source without pragmas, however long, is refused before any of it is read."""
    if not pragmas:
        raise SourceError("this file has no tunepass pragma", source.span(0, 0), "docs/pragmas.md shows how to begin")


def _group(target: Target, pragmas: Sequence[Pragma]) -> PragmaGroup:
    return PragmaGroup(
        target,
        tuple(p for p in pragmas if isinstance(p, ParamText)),
        tuple(p for p in pragmas if isinstance(p, ConstraintPragma)),
        tuple(p for p in pragmas if isinstance(p, AutoPragma)),
        tuple(p for p in pragmas if isinstance(p, NestPragma)),
        tuple(p for p in pragmas if isinstance(p, ModelPragma)),
        tuple(p for p in pragmas if isinstance(p, HintPragma)),
    )


def _program(pragmas: Sequence[Pragma], definitions: Mapping[str, FunctionDefinition]) -> RunPragma:
    """The run of a program whose file has `main` and loops to rewrite, and nothing that says how it is judged."""
    loops = [p for p in pragmas if isinstance(p, (AutoPragma, NestPragma))]
    if not loops or "main" not in definitions:
        raise SourceError(
            "no `kernel` or `run` pragma in this file says how to judge a configuration",
            pragmas[0].span,
            'add `kernel NAME(…)` for a function, or `run "./a.out"` for a program',
        )
    stated = [p for p in loops if isinstance(p, AutoPragma) and p.has_clauses]
    if len(stated) > 1:
        raise SourceError("another `loop auto` says how the program is judged", stated[1].span, "say it once")
    return stated[0].run if stated else RunPragma(command=PROGRAM, span=loops[0].span)


def _no_clauses(pragmas: Sequence[Pragma]) -> None:
    stated = next((p for p in pragmas if isinstance(p, AutoPragma) and p.has_clauses), None)
    if stated is not None:
        hint = "clauses of a `loop auto` are for files without a `kernel` or `run`; give them to that `run`"
        raise SourceError("this file has a pragma that says how it is judged", stated.span, hint)


def owner(start: int, targets: Sequence[Target], bodies: Sequence[tuple[int, int, Target]]) -> Target:
    """The kernel in whose function `start` is; else the first `kernel` or `run` after it; else the last."""
    inside = next((target for first, end, target in bodies if first <= start < end), None)
    if inside is not None:
        return inside
    return next((t for t in targets if t.span.start > start), targets[-1])


def no_duplicates(pragmas: Sequence[Named | RunPragma], what: str) -> None:
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
