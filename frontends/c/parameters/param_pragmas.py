"""From `param` pragmas to parameters: domains, priors, and defaults agreed with the source's own `#define`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import Diagnostic, ExpressionError, Severity, SourceError
from tunepass.expr import nodes
from tunepass.expr.parser import parse
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.parameters.macros import MacroDefault, check_guards, set_macros
from tunepass.frontends.params.build import construct, default_value
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import BOOLEANS, Items, Listed
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

LITERAL = re.compile(r"\(?\s*(?P<number>[-+]?[\d.][\w.+-]*?)[uUlLfF]*\s*\)?\Z")


def build_parameter(
    pragma: ParamText, macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> tuple[Parameter, tuple[Diagnostic, ...]]:
    """The parameter, and warnings about its default; `known` are the macros that parameters set."""
    check_guards(pragma, macros, known)
    written = next((macros[name] for name in set_macros(pragma) if name in macros), None)
    default = default_value(pragma)
    from_macro = _macro_value(pragma, written, macros) if written is not None else None
    if default is None and written is not None and from_macro is None:
        raise SourceError(
            f"the default of `{pragma.name}`, `{written.text}`, is not a value tunepass can read",
            written.span,
            "give the pragma a default: `= VALUE`",
        )
    parameter = construct(pragma, from_macro if default is None else default, written.span if written else None)
    return parameter, _disagreement(pragma, parameter, from_macro, written)


def _disagreement(
    pragma: ParamText, parameter: Parameter, from_macro: Value | None, written: MacroDefault | None
) -> tuple[Diagnostic, ...]:
    if from_macro is None or written is None or from_macro == parameter.default:
        return ()
    return (
        Diagnostic(
            f"the default of `{pragma.name}` is {parameter.default} in its pragma and {written.text} here",
            written.span,
            "tunepass starts from the pragma's; make them agree",
            Severity.WARNING,
        ),
    )


def _macro_value(pragma: ParamText, written: MacroDefault, macros: Mapping[str, MacroDefault]) -> Value | None:
    """What `#define NAME text` says, in the parameter's own type; None if that cannot be told."""
    text = written.text
    if isinstance(pragma.values, Items):
        return _macro_order(pragma, macros)
    if pragma.kind == "categorical" and isinstance(pragma.values, Listed):
        first = pragma.values.values[0]
        if isinstance(first, str):
            return text
        if isinstance(first, bool):
            return BOOLEANS.get(text, {"0": False, "1": True}.get(text))
    literal = LITERAL.match(text)
    try:
        expression = parse(literal["number"] if literal else text, {})
    except ExpressionError:
        return None
    value = constant_value(expression)
    return value if isinstance(expression.type, (nodes.IntegerType, nodes.RealType)) else None


def _macro_order(pragma: ParamText, macros: Mapping[str, MacroDefault]) -> Value | None:
    """The order that `#define NAME_ITEM position` of every item makes."""
    assert isinstance(pragma.values, Items)
    items: Sequence[int | str] = (
        range(pragma.values.items) if isinstance(pragma.values.items, int) else pragma.values.items
    )
    texts = [macros[name].text if name in macros else "" for name in set_macros(pragma)]
    if sorted(texts) != sorted(str(place) for place in range(len(items))):
        return None
    return tuple(item for _, item in sorted(zip((int(text) for text in texts), items)))
