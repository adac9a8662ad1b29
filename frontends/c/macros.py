"""Macros as the source defines them: the defaults of parameters, and whether a -D can override them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.c.syntax.lexical import Scan
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items


@dataclass(frozen=True, slots=True)
class MacroDefault:
    """`#define NAME text`, and the macros whose `#ifndef` is around it."""

    text: str
    guards: frozenset[str]
    span: Span


def macro_defaults(scan: Scan) -> Mapping[str, MacroDefault]:
    """The first object-like definition of every macro."""
    defaults: dict[str, MacroDefault] = {}
    open_guards: list[str] = []
    for directive in scan.directives:
        if directive.kind in ("if", "ifdef", "ifndef"):
            open_guards.append(_guarded_name(directive.kind, directive.body))
        elif directive.kind in ("else", "elif") and open_guards:
            open_guards[-1] = ""
        elif directive.kind == "endif" and open_guards:
            open_guards.pop()
        elif directive.kind == "define":
            name = re.match(r"(\w+)(\(?)\s*(.*)", directive.body, re.DOTALL)
            if name and not name.group(2).startswith("(") and name.group(1) not in defaults:
                name_start = directive.start + directive.text.index(name.group(1), directive.text.index("define") + 6)
                span = scan.source.span(name_start, name_start + len(name.group(1)))
                text = _define_text(scan, name_start + len(name.group(1)), directive.start + len(directive.text))
                defaults[name.group(1)] = MacroDefault(text, frozenset(open_guards), span)
    return defaults


def _define_text(scan: Scan, start: int, end: int) -> str:
    """A definition's text, from the source: `code` has its strings emptied."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", scan.source.text[start:end], flags=re.DOTALL)
    return re.sub(r"\\\r?\n", " ", text).strip()


def _guarded_name(kind: str, body: str) -> str:
    if kind == "ifndef":
        return body.split()[0] if body else ""
    match = re.match(r"!\s*defined\s*\(?\s*(\w+)", body) if kind == "if" else None
    return match.group(1) if match else ""


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
