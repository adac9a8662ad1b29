"""The C and C++ frontend: annotated text in, kernels out; a scheduled kernel in, tuned text out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import ClassVar, TypeVar

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, TunepassError, nearest
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.base import EmittedFile, Frontend, Parsed
from tunepass.frontends.c.call import build_call
from tunepass.frontends.c.definitions import definitions
from tunepass.frontends.c.emission import emit_file
from tunepass.frontends.c.lexical import Scan, scan
from tunepass.frontends.c.lowering import macro_names
from tunepass.frontends.c.parameters import build_parameter, macro_defaults
from tunepass.frontends.c.pragma import ConstraintPragma, KernelPragma, ParamPragma, Pragma, RunPragma, parse_pragma
from tunepass.frontends.c.run import build_run
from tunepass.frontends.c.tokens import Cursor, ExpressionText
from tunepass.ir.kernel import Binding, Kernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

T = TypeVar("T")
R = TypeVar("R")
C_SUFFIXES = (".c",)
CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C")


class CFrontend(Frontend):
    """Pragmas in C and C++; docs/pragmas.md says what they mean."""

    suffixes: ClassVar[tuple[str, ...]] = (*C_SUFFIXES, *CPP_SUFFIXES)

    def parse(self, source: Source) -> Parsed:
        scanned = scan(source)
        pragmas = _each(scanned.pragmas, lambda p: parse_pragma(Cursor(source, p)))
        return _Reader(source, scanned).read(_groups(pragmas, source))

    def emit(self, kernel: Kernel, note: str = "") -> tuple[EmittedFile, ...]:
        return emit_file((kernel,), note)


@dataclass(frozen=True, slots=True)
class Group:
    """What belongs to one kernel: its pragma, and the `param`s and `constraint`s that stand before it."""

    target: KernelPragma | RunPragma
    params: tuple[ParamPragma, ...]
    constraints: tuple[ConstraintPragma, ...]


def _groups(pragmas: Sequence[Pragma], source: Source) -> list[Group]:
    """A `param` or `constraint` belongs to the first `kernel` or `run` after it; after the last, to the last."""
    if not pragmas:
        raise SourceError("this file has no tunepass pragma", source.span(0, 0), "docs/pragmas.md shows how to begin")
    groups: list[Group] = []
    params: list[ParamPragma] = []
    constraints: list[ConstraintPragma] = []
    for pragma in pragmas:
        match pragma:
            case ParamPragma():
                params.append(pragma)
            case ConstraintPragma():
                constraints.append(pragma)
            case _:
                groups.append(Group(pragma, tuple(params), tuple(constraints)))
                params, constraints = [], []
    if not groups:
        raise SourceError(
            "no `kernel` or `run` pragma in this file says how to judge a configuration",
            pragmas[0].span,
            'add `kernel NAME(…)` for a function, or `run "./a.out"` for a program',
        )
    last = groups[-1]
    groups[-1] = Group(last.target, (*last.params, *params), (*last.constraints, *constraints))
    return groups


class _Reader:
    """Turns groups into kernels: parameters first; what depends on them only once they are sound."""

    def __init__(self, source: Source, scanned: Scan):
        self.source = source
        self.macros = macro_defaults(scanned)
        self.words = frozenset(scanned.words())
        self.includes = any(d.kind == "include" and '"' in d.body for d in scanned.directives)
        self.definitions = {d.name: d for d in reversed(definitions(scanned))}
        self.warnings: list[Diagnostic] = []

    def read(self, groups: Sequence[Group]) -> Parsed:
        _no_duplicates([p for g in groups for p in g.params], "parameter")
        _no_duplicates([g.target for g in groups if isinstance(g.target, KernelPragma)], "kernel")
        _no_duplicates([g.target for g in groups if isinstance(g.target, RunPragma)], "run")
        parameters = _each(groups, lambda g: tuple(_each(g.params, self.parameter)))
        kernels = _each(list(zip(groups, parameters)), lambda pair: self.kernel(*pair))
        return Parsed(tuple(kernels), tuple(self.warnings))

    def parameter(self, pragma: ParamPragma) -> Parameter:
        parameter, warnings = build_parameter(pragma, self.macros)
        self.warnings += warnings
        return parameter

    def kernel(self, group: Group, parameters: tuple[Parameter, ...]) -> Kernel:
        _each(list(zip(group.params, parameters)), lambda pair: self.check_use(*pair))
        if not parameters:
            raise SourceError("nothing to tune: no `param` belongs to this", group.target.span, BELONGS)
        constraints = _each(group.constraints, lambda c: self.constraint(c, parameters))
        target = group.target
        call = build_call(target, self.definitions, self.source) if isinstance(target, KernelPragma) else None
        return Kernel(
            name=target.name if isinstance(target, KernelPragma) else _stem(self.source.name),
            language="c++" if self.source.name.endswith(CPP_SUFFIXES) else "c",
            source=self.source,
            parameters=parameters,
            constraints=tuple(constraints),
            bindings=tuple(Binding(p.name, "flag" if p.flag else "macro", p.span) for p in group.params),
            call=call,
            run=build_run(target) if isinstance(target, RunPragma) else None,
            span=target.span,
        )

    def check_use(self, pragma: ParamPragma, parameter: Parameter) -> None:
        """A macro that no code uses would be tuned for nothing."""
        names = macro_names(parameter)
        if pragma.flag or self.words & set(names):
            return
        close = nearest(pragma.name, self.words)
        hint = f"did you mean `{close}`?" if close else "use it as a macro, or mark it `flag`"
        problem = Diagnostic(f"no code uses `{names[0]}`", pragma.span, hint)
        if not self.includes:
            raise SourceError(problem)
        hint = "unless an included file does, tuning it changes nothing"
        self.warnings.append(Diagnostic(f"no code in this file uses `{names[0]}`", pragma.span, hint, Severity.WARNING))

    def constraint(self, pragma: ConstraintPragma, parameters: tuple[Parameter, ...]) -> Constraint:
        text = pragma.expression
        try:
            found = Constraint.parse(text.text, parameters, source=self.source, offset=text.start)
        except TunepassError as error:
            raise _explained(error, text) from None
        columns = {p.name: p.column([p.default]) for p in parameters}
        if not satisfied(found.expression, columns, 1).all():
            hint = "the default is the first configuration tried; choose one that satisfies the constraints"
            self.warnings.append(
                Diagnostic("the default configuration violates this", pragma.span, hint, Severity.WARNING)
            )
        return found


BELONGS = "a `param` belongs to the first `kernel` or `run` after it; after the last, to the last"


def _explained(error: TunepassError, text: ExpressionText) -> SourceError:
    """The expression's own diagnostic; where `//` was meant as a comment, say what it is."""
    first = error.diagnostics[0]
    slashes = text.text.find("//")
    if slashes >= 0 and first.span and first.span.start > text.start + slashes:
        first = replace(first, hint="`//` divides here; a comment after a constraint is written /* … */")
    return SourceError([first])


def _no_duplicates(pragmas: Sequence[ParamPragma | KernelPragma | RunPragma], what: str) -> None:
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


def _each(items: Sequence[T], step: Callable[[T], R]) -> list[R]:
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


def _stem(name: str) -> str:
    return re.sub(r"\W", "_", PurePath(name).stem) or "program"
