"""Macros as the source defines them: the defaults of parameters, and whether a -D can override them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.annotated import Annotated
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.preprocessing.chains import chains, condition_of
from tunepass.frontends.cfamily.text.lexemes import SPLICE
from tunepass.frontends.cfamily.text.raw import COMMENT, Directive
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items


@dataclass(frozen=True, slots=True)
class MacroDefault:
    """`#define NAME text`, and the macros whose `#ifndef` is around it."""

    text: str
    guards: frozenset[str]
    span: Span


def macro_defaults(text: Annotated) -> Mapping[str, MacroDefault]:
    """The first object-like definition of every macro."""
    defaults: dict[str, MacroDefault] = {}
    guards = list(_guards(text))
    for directive in text.directives:
        if directive.kind == "define":
            around = frozenset(name for names, start, end in guards if start <= directive.start < end for name in names)
            name, default = _defined(text.source, directive, around)
            if default is not None:
                defaults.setdefault(name, default)
    return defaults


def _defined(source: Source, directive: Directive, guards: frozenset[str]) -> tuple[str, MacroDefault | None]:
    """The macro with its text, whose comments are spaces; None of one that takes arguments."""
    words = list(tokens(source.text, directive.kind_end, directive.end))
    name, body = (words[0], words[1:]) if words else (None, [])
    if name is None or (body and body[0].at("(") and body[0].start == name.end):
        return "", None
    written, end = "", name.end
    for token in body:
        written += _without_comments(source.text[end : token.start]) + token.text
        end = token.end
    written += _without_comments(source.text[end : directive.end])
    return name.text, MacroDefault(written.strip(), guards, source.span(name.start, name.end))


def _without_comments(gap: str) -> str:
    return COMMENT.sub(" ", SPLICE.sub("", gap))


def _guards(text: Annotated) -> Iterator[tuple[frozenset[str], int, int]]:
    """The macros that are not defined where each branch of an `#if` is compiled, and from where to where that is."""
    for chain in chains(text.directives):
        defined: set[str] = set()  # by which the branches before are compiled
        for head, end in chain.branches():
            terms = [] if head.kind == "else" else _terms(condition_of(head))
            absent = {words[-1] for words in terms if words[:-1] == ["!", "defined"]}
            yield frozenset(defined | absent), head.start, end if end >= 0 else len(text.source.text)
            defined |= {words[1] for words in terms if len(terms) == 1 and words[:1] == ["defined"] and len(words) == 2}


def _terms(condition: str) -> list[list[str]]:
    """The words, brackets aside, of what `&&` combines; none where there are other operators."""
    words = [token.text for token in tokens(condition) if not token.at("(", ")")]
    terms: list[list[str]] = [[]]
    for word in words:
        if word == "&&":
            terms.append([])
        else:
            terms[-1].append(word)
    return [] if "||" in words or "?" in words else terms


def set_macros(pragma: ParamText) -> tuple[str, ...]:
    """The macros a parameter sets: its name; for a permutation NAME_ITEM, the position of each item."""
    if pragma.flag or pragma.compiler:
        return ()
    if not isinstance(pragma.values, Items):
        return (pragma.name,)
    items = pragma.values.items
    return tuple(f"{pragma.name}_{item}" for item in (range(items) if isinstance(items, int) else items))


def check_guards(pragma: ParamText, macros: Mapping[str, MacroDefault], known: frozenset[str]) -> None:
    """Every -D comes with those of all other parameters, so that the guard of any of them serves."""
    for name in set_macros(pragma):
        written = macros.get(name)
        if written is not None and not written.guards & known:
            raise SourceError(
                f"`{name}` is defined here without `#ifndef`, so -D{name}=… cannot change it",
                written.span,
                f"write `#ifndef {name}`, the `#define`, `#endif`",
            )


def whole_number(text: str) -> int | None:
    """The value of a macro's text, as `#if` reads it; None where that is no number."""
    digits = text.removeprefix("-")
    value = literal(digits) if digits[:1].isdecimal() else None
    return -value if value is not None and text.startswith("-") else value
