"""What a function returns, as far as it can be compared."""

from __future__ import annotations

import re

from tunepass.diagnostics import Diagnostic, Severity, Span
from tunepass.frontends.c.elements import UnknownElement, leaves_of
from tunepass.frontends.c.syntax.statements import closing
from tunepass.frontends.c.syntax.types import ATTRIBUTE, NOT_A_TYPE, WORD, type_name
from tunepass.frontends.cfamily.declared import NUMERIC, CType, Types, is_known
from tunepass.frontends.cfamily.definitions import FunctionDefinition
from tunepass.ir.c_kernel import ReturnedValue

TEMPLATE = re.compile(r"[<>]|::|\bauto\b|\bdecltype\b")


def returned_type(definition: FunctionDefinition, types: Types) -> CType:
    """The type in front of the name; what macros say there (`ZEXTERN int ZEXPORT`) is left out."""
    head = definition.returns
    while attribute := ATTRIBUTE.search(head):
        head = head[: attribute.start()] + head[closing(head, attribute.end()) :]
    head = NOT_A_TYPE.sub(" ", head)
    stars, name = head.count("*"), type_name(head)
    words = WORD.findall(name)
    if (
        not is_known(name)
        and len(words) > 1
        and words[0] not in ("struct", "union", "enum")
        and words[-1] != "_Complex"
    ):
        numeric = [word for word in words if word in NUMERIC or is_known(word)]
        known = [word for word in words if word in types.typedefs or word in types.records or word == "void"]
        name = type_name(" ".join(numeric)) if numeric else (known or words)[0]
    return CType(name, stars)


def returned_value(
    definition: FunctionDefinition, types: Types, span: Span
) -> tuple[ReturnedValue | None, Diagnostic | None]:
    """What is compared of it, and a warning where that is nothing although there is something."""
    returned = types.resolved(returned_type(definition, types))
    if returned.base in ("void", "") and not returned.depth:
        return None, None
    try:
        if TEMPLATE.search(definition.returns):
            raise UnknownElement("its type is not understood")
        return ReturnedValue(leaves=leaves_of(returned, types)), None
    except UnknownElement as problem:
        return None, Diagnostic(
            f"what `{definition.name}` returns is not compared", span, str(problem), Severity.WARNING
        )
