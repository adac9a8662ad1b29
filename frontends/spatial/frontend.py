"""Spatial sources: apps to kernels, and chosen values back into the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, nearest
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.spatial.elaborate.numbers.extents import is_open
from tunepass.frontends.spatial.emission import chosen_texts, rewrite
from tunepass.frontends.spatial.host.lowering import Lowered, lower
from tunepass.frontends.spatial.outline.apps import App, apps
from tunepass.frontends.spatial.parameters.restrictions import restrictions
from tunepass.frontends.spatial.parameters.roles import parameters
from tunepass.frontends.spatial.syntax.lexer import Tokens, scan
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Binding, Kernel


class SpatialFrontend(Frontend):
    """Reads Scala files with Spatial apps. Their constraints are Spatial's restrictions 1-8."""

    suffixes: ClassVar[tuple[str, ...]] = (".scala",)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        tokens = scan(source)
        kernels: list[Kernel] = []
        warnings: list[Diagnostic] = []
        for app in _wanted(tokens, only):
            lowered = lower(tokens, app)
            kernels.append(_kernel(source, lowered))
            warnings.extend((*lowered.context.warnings, *_moved(kernels[-1], lowered)))
        return Parsed(tuple(kernels), tuple(warnings))

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
        close = nearest(only, names)
        hint = f"did you mean `{close}`?" if close else f"apps: {', '.join(names)}"
        raise SourceError(f"{source.name} has no app `{only}`", hint=hint)
    return wanted


def _moved(kernel: Kernel, lowered: Lowered) -> Iterator[Diagnostic]:
    """A warning for each parameter whose default is none of its values."""
    for declared, parameter in zip(lowered.context.declared, kernel.parameters):
        if declared.default != parameter.default:
            message = f"{declared.default} is none of the values of `{declared.name}`; {parameter.default} is taken"
            yield Diagnostic(message, declared.edit, "its values follow the default", Severity.WARNING)


def _kernel(source: Source, lowered: Lowered) -> Kernel:
    context, program = lowered.context, lowered.program
    declared = [Binding(d.name, "directive", d.edit) for d in context.declared]
    toggles = [Binding(toggle.name, "directive", toggle.edit) for toggle in lowered.toggles]
    return Kernel(
        name=lowered.app.name,
        language="spatial",
        source=source,
        parameters=parameters(context.declared, lowered.toggles, program),
        constraints=restrictions(lowered.settled.bounded, is_open),
        bindings=(*declared, *toggles),
        body=program,
        span=program.accel.span,
    )
