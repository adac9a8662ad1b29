"""What a function returns, as far as it can be compared."""

from __future__ import annotations

from tunepass.diagnostics import Diagnostic, Severity, Span
from tunepass.frontends.c.setup.elements import UnknownElement, leaves_of
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.types.declared import Types
from tunepass.ir.c_kernel import ReturnedValue

TEMPLATE = frozenset({"<", ">", "::", "auto", "decltype"})


def returned_value(
    definition: FunctionDefinition, types: Types, span: Span
) -> tuple[ReturnedValue | None, Diagnostic | None]:
    """What is compared of it, and a warning where that is nothing although there is something."""
    returned = types.resolved(definition.result)
    if returned.base in ("void", "") and not returned.depth:
        return None, None
    try:
        if any(token.text in TEMPLATE for token in tokens(definition.returns)):
            raise UnknownElement("its type is not understood")
        return ReturnedValue(leaves=leaves_of(returned, types)), None
    except UnknownElement as problem:
        return None, Diagnostic(
            f"what `{definition.name}` returns is not compared", span, str(problem), Severity.WARNING
        )
