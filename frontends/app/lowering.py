"""From a configuration to the commands of an application: every placeholder filled in.

With a profile the flags end with what the compiler needs for it: `-fprofile-generate` first, `-fprofile-use` then.
"""

from __future__ import annotations

import shlex

from tunepass.diagnostics import SourceError
from tunepass.frontends.app.words import ARGUMENTS, BUILD, FLAGS, INPUT, SOURCE, expand, holes
from tunepass.ir.application import PROFILE, Application, Commands, ProfileWords, Words, profile_folder
from tunepass.ir.kernel import Binding, Kernel, Role
from tunepass.space.configuration import Configuration, Value

PROBE = "-ftunepass-no-such-option"  # no compiler takes it: a build that succeeds with it gives its flags to none


def lower(
    kernel: Kernel,
    configuration: Configuration,
    build_dir: str,
    source_dir: str,
    profile: ProfileWords | None = None,
    probe: bool = False,
) -> Commands:
    """`profile` are the compiler's words, needed where a parameter asks for one. A `probe` has a flag that no compiler
    takes."""
    body = kernel.body_as(Application)
    values = {p.name: value_text(kernel, configuration, p.name) for p in kernel.parameters}
    values |= {BUILD: build_dir, SOURCE: source_dir}
    folder = profile_folder(build_dir)

    def builds(more: Words) -> tuple[Words, ...]:
        """The build commands with more flags."""
        more = tuple(word.replace(PROFILE, folder) for word in more)
        named = _first_placed(kernel) if probe else None
        lists = {FLAGS: (*flags(kernel, configuration), *more, *([PROBE] if probe else []))}
        changed = {**values, named: f"{values[named]} {PROBE}"} if named else values
        return tuple(expand(words, changed, lists) for words in body.build.commands)

    runs = _runs(kernel, configuration, body.run.arguments, values)
    inputs = [each.words for each in body.inputs] or [()]
    checks = tuple(expand(body.check.command, values, {INPUT: each}) for each in inputs) if body.check.command else ()
    if not profiled(kernel, configuration):
        return Commands(builds=builds(()), runs=runs, checks=checks, environment=environment(kernel, configuration))
    assert profile is not None
    training = _training(kernel, configuration, values) or runs
    merge = (tuple(word.replace(PROFILE, folder) for word in profile.merge),) if profile.merge else ()
    return Commands(
        builds=(*merge, *builds(profile.use)),
        instrumented=builds(profile.generate),
        training=training,
        runs=runs,
        checks=checks,
        environment=environment(kernel, configuration),
    )


def _runs(kernel: Kernel, configuration: Configuration, command: Words, values: dict[str, str]) -> tuple[Words, ...]:
    """The command for each input; none where there is no command."""
    inputs = [each.words for each in kernel.body_as(Application).inputs] or [()]
    return tuple(_run(kernel, configuration, command, values, words) for words in inputs) if command else ()


def _run(kernel: Kernel, configuration: Configuration, command: Words, values: dict[str, str], given: Words) -> Words:
    """Arguments and the input come last where they have no place of their own."""
    lists = {ARGUMENTS: arguments(kernel, configuration), INPUT: given}
    placed = holes(command)
    last = tuple(word for name, words in lists.items() if name not in placed for word in words)
    return expand(command, values, lists) + last


def _training(kernel: Kernel, configuration: Configuration, values: dict[str, str]) -> tuple[Words, ...]:
    """One run, or one for each input if it asks for them; none where there is no command for it."""
    command = kernel.body_as(Application).build.training
    runs = _runs(kernel, configuration, command, values)
    return (
        runs if INPUT in holes(command) else tuple(_run(kernel, configuration, c, values, ()) for c in [command] if c)
    )


def run_words(kernel: Kernel, configuration: Configuration, build_dir: str, source_dir: str) -> Words:
    """The run without an input."""
    values = {p.name: value_text(kernel, configuration, p.name) for p in kernel.parameters}
    values |= {BUILD: build_dir, SOURCE: source_dir}
    return _run(kernel, configuration, kernel.body_as(Application).run.arguments, values, ())


def profiled(kernel: Kernel, configuration: Configuration) -> bool:
    """Does a parameter ask for a build in two phases?"""
    return any(b.role == "profile" and kernel.filled(configuration)[b.parameter] for b in kernel.bindings)


def _first_placed(kernel: Kernel) -> str | None:
    """A flag or macro that stands in a build command by its own name, where none stands in `{FLAGS}`."""
    placed = holes(w for words in kernel.body_as(Application).build.commands for w in words)
    names = [b.parameter for b in kernel.bindings if b.role in ("flag", "macro") and b.parameter in placed]
    return names[0] if names and FLAGS not in placed else None


def flags(kernel: Kernel, configuration: Configuration) -> Words:
    """The words of `flag` and `macro` parameters that have no place of their own in a build command."""
    placed = holes(w for words in kernel.body_as(Application).build.commands for w in words)
    return _words(kernel, configuration, ("flag", "macro"), placed)


def arguments(kernel: Kernel, configuration: Configuration) -> Words:
    """The words of `argument` parameters that have no place of their own in the run command."""
    return _words(kernel, configuration, ("argument",), holes(kernel.body_as(Application).run.arguments))


def environment(kernel: Kernel, configuration: Configuration) -> tuple[tuple[str, str], ...]:
    settings, values = [], kernel.filled(configuration)
    for binding in kernel.bindings:
        if binding.role == "environment":
            variable, _, form = binding.form.partition("=")
            settings.append((variable, form.replace("{}", spelled(values[binding.parameter]))))
    return tuple(settings)


def value_text(kernel: Kernel, configuration: Configuration, name: str) -> str:
    """A parameter where its own name stands in a command."""
    binding, value = kernel.binding(name), kernel.filled(configuration)[name]
    if binding.omitted is not None and value == binding.omitted:
        return ""
    return binding.form.replace("{}", spelled(value))


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
        return [text] if text else []
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
