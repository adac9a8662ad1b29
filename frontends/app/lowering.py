"""From a configuration to the commands of an application: every placeholder filled in."""

from __future__ import annotations

import shlex

from tunepass.diagnostics import SourceError
from tunepass.frontends.app.words import ARGUMENTS, BUILD, FLAGS, SOURCE, expand, holes
from tunepass.ir.application import Application, Commands, Words
from tunepass.ir.kernel import Binding, Kernel, Role
from tunepass.space.configuration import Configuration, Value


def lower(kernel: Kernel, configuration: Configuration, build_dir: str, source_dir: str) -> Commands:
    application = kernel.body_as(Application)
    run = application.run
    values = {p.name: value_text(kernel, configuration, p.name) for p in kernel.parameters}
    values |= {BUILD: build_dir, SOURCE: source_dir}
    lists = {FLAGS: flags(kernel, configuration), ARGUMENTS: arguments(kernel, configuration)}
    command = expand(run.arguments, values, lists)
    placed = holes(run.arguments)
    if ARGUMENTS not in placed:
        command += lists[ARGUMENTS]
    return Commands(
        builds=tuple(expand(words, values, lists) for words in application.build.commands),
        run=command,
        check=expand(application.check.command, values, lists),
        environment=environment(kernel, configuration),
    )


def flags(kernel: Kernel, configuration: Configuration) -> Words:
    """The words of `flag` and `macro` parameters that have no place of their own in a build command."""
    placed = holes(w for words in kernel.body_as(Application).build.commands for w in words)
    return _words(kernel, configuration, ("flag", "macro"), placed)


def arguments(kernel: Kernel, configuration: Configuration) -> Words:
    """The words of `argument` parameters that have no place of their own in the run command."""
    return _words(kernel, configuration, ("argument",), holes(kernel.body_as(Application).run.arguments))


def environment(kernel: Kernel, configuration: Configuration) -> tuple[tuple[str, str], ...]:
    settings = []
    for binding in kernel.bindings:
        if binding.role == "environment":
            variable, _, form = binding.form.partition("=")
            settings.append((variable, form.replace("{}", spelled(configuration[binding.parameter]))))
    return tuple(settings)


def value_text(kernel: Kernel, configuration: Configuration, name: str) -> str:
    """A parameter where its own name stands in a command."""
    return kernel.binding(name).form.replace("{}", spelled(configuration[name]))


def placed_names(kernel: Kernel) -> set[str]:
    """The parameters that stand in a command by name."""
    application = kernel.body_as(Application)
    return holes(w for words in (*application.build.commands, application.run.arguments) for w in words) & {
        p.name for p in kernel.parameters
    }


def _words(kernel: Kernel, configuration: Configuration, roles: tuple[Role, ...], placed: set[str]) -> Words:
    words: list[str] = []
    for binding in kernel.bindings:
        if binding.role in roles and binding.parameter not in placed:
            words += _split(binding, value_text(kernel, configuration, binding.parameter))
    return tuple(words)


def _split(binding: Binding, text: str) -> list[str]:
    """A flag may be several words, or none; a macro is one."""
    if binding.role == "macro":
        return [text]
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SourceError(f"{binding.parameter}: `{text}` cannot be split into words: {error}", binding.span) from None


def spelled(value: Value) -> str:
    """A Boolean is 1 or 0, an order its items with commas."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(value) if isinstance(value, float) else str(value)
