"""What could not be read of a source, for its user."""

from __future__ import annotations

from tunepass.diagnostics import Diagnostic, Severity, SourceError, Span
from tunepass.frontends.cfamily.annotated import check_is_directive
from tunepass.frontends.cfamily.preprocessing.chains import branch_around, chains
from tunepass.frontends.cfamily.text.marks import closing
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Unit


def check_are_directives(unit: Unit) -> None:
    """Raises SourceError for a pragma of tunepass's that a macro makes."""
    for pragma in unit.pragmas:
        check_is_directive(unit.source, pragma.words, pragma.start, pragma.end)


def missing_function(unit: Unit, name: str, named: Span) -> SourceError | None:
    """The refusal of a function of an included file, or left out by a condition, or in unreadable code; else None.

    `name` is plain; `named` is where the pragma names it.
    """
    after_macros = names_after_macros(unit).get(name)
    if after_macros is not None:
        hint = f"name the function as the compiler does: `{after_macros}`"
        return SourceError(f"`{name}` is a macro, and the function is `{after_macros}`", named, hint)
    called = {name, *(macro.body for macro in unit.text.macros.get(name, ()))}
    included = next((f for f in unit.functions if f.in_header and f.name.text in called), None)
    if included is not None:
        hint = f"write a function here that calls `{name}`, and name that"
        return SourceError(f"`{name}` is defined in `{included.name.macro}`, not in this file", named, hint)
    for number, section in enumerate(unit.text.raw.sections):
        if number in unit.text.active or section.outer is not None:
            continue
        for token, after in zip(section.tokens, section.tokens[1:]):
            if token.text == name and after.at("(") and token.start > named.end:
                return _inactive(unit, name, named, token.start)
    untyped = _without_type(unit, name)
    if untyped is not None:
        span = unit.source.span(untyped.start, untyped.end)
        return SourceError(f"the definition of `{name}` states no return type", span, f"write `int {name}`")
    fault = next((f for f in unit.faults if not unit.is_included(f.token) and f.token.end > named.start), None)
    return unit.unreadable(fault) if fault is not None else None


def _without_type(unit: Unit, name: str) -> Token | None:
    """The name in a definition `name(...)` at file scope that begins with it, as C had it before 1999."""
    depth, tokens = 0, unit.tokens
    for at, token in enumerate(tokens[:-1]):
        depth += token.at("(", "{", "[") - token.at(")", "}", "]")
        if depth == 0 and token.text == name and tokens[at + 1].at("(") and (not at or tokens[at - 1].at(";", "}")):
            end = closing(tokens, at + 1) + 1
            if end < len(tokens) and (tokens[end].at("{") or tokens[end].kind == "name"):
                return token
    return None


def names_after_macros(unit: Unit) -> dict[str, str]:
    """The names of functions of the source whose text is a macro's name, by that."""
    names = [function.name for function in unit.functions if not function.in_header]
    written = [(unit.source.text[name.start : name.end], name.text) for name in names]
    return {text: name for text, name in written if text.isidentifier() and text != name.rpartition("::")[2]}


def unread_headers(unit: Unit) -> list[Diagnostic]:
    """A warning that names the included files whose text is too long to be read; none where all were read."""
    if not unit.text.skipped:
        return []
    names = ", ".join(f"`{name}`" for name in sorted(unit.text.skipped))
    message = f"declarations and functions of long headers are not read: {names}"
    return [Diagnostic(message, None, "name the types of arguments in full", Severity.WARNING)]


def _inactive(unit: Unit, name: str, named: Span, place: int) -> SourceError:
    line, text = condition_around(unit, place)
    hint = f"`{text}` in line {line} leaves it out: give the -D that it needs after `--`"
    return SourceError(f"the compiler does not see `{name}`", named, hint)


def condition_around(unit: Unit, place: int) -> tuple[int, str]:
    """The line and the text of the innermost `#if`, `#elif` or `#else` around a place that is not compiled."""
    listed = chains(unit.text.raw.directives)
    around = branch_around(listed, place)
    if around is None:
        return 0, "a condition"
    head = listed[around[0]].heads[around[1]]
    return unit.source.position(head.start)[0], unit.source.text[head.start : head.end].strip()
