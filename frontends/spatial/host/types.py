"""The type aliases and case classes that a file declares anywhere, for the types of an app."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.elaborate.types import TypeNames, read_type
from tunepass.frontends.spatial.outline.apps import App
from tunepass.frontends.spatial.parameters.declared import Declared
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import Tokens
from tunepass.frontends.spatial.syntax.parser import parse_class_signature, parse_type
from tunepass.ir.hardware import Element, Struct, Width


def file_types(tokens: Tokens, app: App, widths: Mapping[int, Declared] | None = None) -> TypeNames:
    """Those of the app itself win over the others of its file."""
    names, items = TypeNames(), tokens.items
    for start, width in (widths or {}).items():
        names.widths[start] = Width(width.name, width.default, tuple(sorted({*(width.domain or ()), width.default})))
    for first, last in ((0, app.first), (app.last, len(items)), (app.first, app.last)):
        for i in range(first, last - 3):
            if items[i].kind != "keyword":
                continue
            if items[i].text == "type" and items[i + 1].kind == "name" and items[i + 2].text == "=":
                names.aliases[items[i + 1].text] = _alias(tokens, i + 3, last)
            elif items[i].text == "class" and items[i - 1].text == "case" and items[i + 2].kind == "(":
                struct = _struct(tokens, i + 1, names)
                if struct is not None:
                    names.structs[items[i + 1].text] = struct
    return names


def _alias(tokens: Tokens, first: int, last: int) -> n.Type:
    """The type that begins at token `first` and ends with its statement."""
    ends = (i for i in range(first + 1, last) if tokens.items[i].breaks or tokens.items[i].kind in (";", "}"))
    end = next(ends, last)
    with contextlib.suppress(SourceError):
        return parse_type(tokens, first, end)
    return n.OtherType(tokens.span(first, end - 1))


def _struct(tokens: Tokens, name_token: int, names: TypeNames) -> Struct | None:
    """The case class named by token `name_token`; None where a field has no type of the hardware."""
    try:
        signature = parse_class_signature(tokens, name_token, tokens.partner[name_token + 1] + 1)
    except SourceError:
        return None
    fields: list[tuple[str, Element]] = []
    for parameter in signature.parameters:
        element = read_type(parameter.type, names) if parameter.type is not None else None
        if element is None:
            return None
        fields.append((parameter.name, element))
    return Struct(tuple(fields))
