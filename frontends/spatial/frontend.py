"""Spatial sources: apps to kernels, and chosen values back into the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import ClassVar

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, SpaceError, spelling_hint
from tunepass.expr.nodes import free_names
from tunepass.frontends.base import Frontend, Parsed, sizes_in
from tunepass.frontends.spatial.elaborate.numbers.extents import is_open
from tunepass.frontends.spatial.elaborate.settling import expressions
from tunepass.frontends.spatial.emission import chosen_texts, rewrite
from tunepass.frontends.spatial.host.lowering import Lowered, lower
from tunepass.frontends.spatial.outline.apps import App, apps
from tunepass.frontends.spatial.parameters.declared import Declared
from tunepass.frontends.spatial.parameters.restrictions import impossible, restrictions
from tunepass.frontends.spatial.parameters.roles import parameters
from tunepass.frontends.spatial.syntax.lexer import Tokens, scan
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Binding, Kernel
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space


class SpatialFrontend(Frontend):
    """Reads Scala files with Spatial apps. Their constraints are Spatial's restrictions 1-8."""

    suffixes: ClassVar[tuple[str, ...]] = (".scala",)
    leaves_sizes_open: ClassVar[bool] = True

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        """An app that cannot be read, or has nothing to tune, is left out with a warning if there are others."""
        tokens, sizes = scan(source), sizes_in(words)
        wanted = _wanted(tokens, only)
        kernels: list[Kernel] = []
        warnings: list[Diagnostic] = []
        errors: list[Diagnostic] = []
        read: list[Lowered] = []
        for app in wanted:
            try:
                lowered = lower(tokens, app, sizes)
            except SourceError as error:
                errors += error.diagnostics
                warnings += (left_out(app.name, diagnostic) for diagnostic in error.diagnostics)
                continue
            read.append(lowered)
            kernel, more = _kernel(source, lowered)
            kernels.append(kernel)
            warnings += [*lowered.context.warnings, *more]
        if not kernels:
            raise SourceError(errors)
        _check_sizes(source, sizes, read)
        return Parsed(*_tunable(tuple(kernels), warnings))

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        source = kernels[0].source
        tokens = scan(source)
        by_name = {app.name: app for app in apps(tokens)}
        texts = [text for k in kernels for text in chosen_texts(k, lower(tokens, by_name[k.name]))]
        path = PurePath(source.name.replace("\\", "/"))
        stem = path.stem if path.suffix == ".scala" else kernels[0].name
        return (EmittedFile(f"{stem}.{word}.scala", rewrite(source.text, texts, note)),)


def _wanted(tokens: Tokens, only: str | None) -> list[App]:
    """Every app of the file, or the one that is asked for."""
    source, all_apps = tokens.source, apps(tokens)
    if not all_apps:
        raise SourceError(
            "no Spatial app here: nothing with an `Accel { … }` in it",
            source.span(0, 1) if source.text else None,
            hint="an app is an object or a class with `Accel { … }` in one of its functions",
        )
    if only is None:
        return all_apps
    wanted = [app for app in all_apps if app.name == only]
    if not wanted:
        names = [app.name for app in all_apps]
        hint = spelling_hint(only, names, f"apps: {', '.join(names)}")
        raise SourceError(f"{source.name} has no app `{only}`", hint=hint)
    return wanted


def left_out(app: str, problem: Diagnostic) -> Diagnostic:
    """What is wrong with an app, where its file has others."""
    return Diagnostic(f"app `{app}` is left out: {problem.message}", problem.span, problem.hint, Severity.WARNING)


def _check_sizes(source: Source, sizes: Mapping[str, int], read: Sequence[Lowered]) -> None:
    """SourceError for a size that no app leaves open."""
    used = {name for lowered in read for name in lowered.context.extents.used}
    known = sorted({name for lowered in read for name in lowered.context.extents.names})
    for name in sizes.keys() - used:
        hint = spelling_hint(name, known, f"open are {', '.join(known)}" if known else "none is open")
        raise SourceError(f"{source.name} leaves no size `{name}` open", hint=hint)


def _tunable(
    kernels: tuple[Kernel, ...], warnings: list[Diagnostic]
) -> tuple[tuple[Kernel, ...], tuple[Diagnostic, ...]]:
    """Of several kernels those with configurations, if one has any."""
    problems = {kernel.name: _untunable(kernel) for kernel in kernels} if len(kernels) > 1 else {}
    kept = tuple(kernel for kernel in kernels if not problems.get(kernel.name))
    if not kept:
        return kernels, tuple(warnings)
    left = (left_out(name, diagnostic) for name, diagnostics in problems.items() for diagnostic in diagnostics)
    return kept, (*warnings, *left)


def _untunable(kernel: Kernel) -> tuple[Diagnostic, ...]:
    if not kernel.parameters:
        return (Diagnostic("there is nothing to tune, no parameter is declared", kernel.span),)
    try:
        Space(kernel.parameters, kernel.constraints)
    except SpaceError as error:
        return error.diagnostics
    return ()


def _moved(declared: Sequence[Declared], made: Sequence[Parameter]) -> Iterator[Diagnostic]:
    """A warning for each parameter whose default is none of its values."""
    for d, parameter in zip(declared, made):
        if d.default != parameter.default:
            message = f"{d.default} is none of the values of `{d.name}`; {parameter.default} is taken"
            yield Diagnostic(message, d.edit, "its values follow the default", Severity.WARNING)


def _kernel(source: Source, lowered: Lowered) -> tuple[Kernel, list[Diagnostic]]:
    """The kernel, and a warning for every parameter that no loop, memory or transfer depends on, and for every
    restriction that leaves a parameter no value."""
    context, program = lowered.context, lowered.program
    constraints = restrictions(lowered.settled.bounded, is_open)
    used = {name for e in (*expressions(program), *(c.expression for c in constraints)) for name in free_names(e)}
    used |= program.tuned_widths()
    declared = [d for d in context.declared if d.name in used]
    bindings = [Binding(d.name, "directive", d.edit) for d in declared]
    toggles = [Binding(toggle.name, "directive", toggle.edit) for toggle in lowered.toggles]
    made = parameters(declared, lowered.toggles, program)
    dropped = impossible(constraints, made)
    kernel = Kernel(
        name=lowered.app.name,
        language="spatial",
        source=source,
        parameters=made,
        constraints=tuple(c for c in constraints if c not in dropped),
        bindings=(*bindings, *toggles),
        body=program,
        open_sizes=lowered.open_sizes,
        span=program.accel.span,
    )
    unused = (d for d in context.declared if d.name not in used)
    message = "nothing that is priced depends on `{}`; it stays as it is"
    left = [Diagnostic(message.format(d.name), d.span, None, Severity.WARNING) for d in unused]
    never = "no value of `{}` keeps `{}`; it is not restricted so"
    left += (
        Diagnostic(never.format(*free_names(c.expression), c.text), c.span, None, Severity.WARNING) for c in dropped
    )
    return kernel, [*_moved(declared, made), *left]
