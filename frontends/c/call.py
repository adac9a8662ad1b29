"""From a `kernel` pragma and the function's definition to the call that the generated harness makes."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.diagnostics import Source, SourceError, Span, nearest
from tunepass.expr.nodes import BOOL, INTEGER, REAL, BoolType, Expr, IntegerType, RealType, Type
from tunepass.expr.parser import parse
from tunepass.frontends.c.constants import constant_value
from tunepass.frontends.c.inputs import ELEMENT_LIMIT, overlapping, stated_sizes
from tunepass.frontends.c.pragmas.kernel import ArgumentText, KernelPragma
from tunepass.frontends.c.syntax.definitions import Formal, FunctionDefinition, canonical_type, is_integral, is_known
from tunepass.frontends.c.syntax.tokens import ExpressionText
from tunepass.ir.c_kernel import Argument, ArrayArgument, KernelCall, ScalarArgument

Scalars = dict[str, int | float]


def build_call(pragma: KernelPragma, definitions: Mapping[str, FunctionDefinition], source: Source) -> KernelCall:
    """The call, its arguments checked one by one against the definition's formal parameters."""
    definition = _definition(pragma, definitions)
    if definition.private:
        raise SourceError(
            f"`{pragma.name}` is {definition.private}, so no other file can call it",
            pragma.span,
            "the generated program calls the kernel: give it external linkage",
        )
    given, formals = pragma.arguments, definition.formals
    if len(given) != len(formals):
        raise SourceError(
            f"`{pragma.name}` has {_count(len(formals), 'parameter')}, the pragma gives {len(given)}",
            pragma.span,
            f"the definition is `{definition.prototype}`",
        )
    types: dict[str, Type] = {}
    scalars: Scalars = {}
    arguments: list[Argument] = []
    for argument, formal in zip(given, formals):
        if argument.name in {a.name for a in arguments}:
            raise SourceError(f"argument `{argument.name}` is given twice", argument.span)
        arguments.append(_argument(argument, formal, types, scalars, source))
    if not any(isinstance(a, ArrayArgument) and a.direction != "in" for a in arguments):
        raise SourceError(
            f"no argument of `{pragma.name}` is written, so its result cannot be checked",
            pragma.span,
            "mark the arrays it writes `out` or `inout`",
        )
    return KernelCall(
        function=pragma.name,
        prototype=definition.prototype,
        arguments=tuple(arguments),
        absolute_tolerance=None if pragma.tolerance is None else pragma.tolerance.absolute,
        relative_tolerance=None if pragma.tolerance is None else pragma.tolerance.relative,
        sizes=None if pragma.sizes is None else stated_sizes(pragma.sizes, arguments),
        pairs=overlapping(pragma.aliasing, arguments),
        finite=pragma.finite,
        span=pragma.span,
    )


def _definition(pragma: KernelPragma, definitions: Mapping[str, FunctionDefinition]) -> FunctionDefinition:
    definition = definitions.get(pragma.name)
    if definition is not None:
        return definition
    close = nearest(pragma.name, definitions)
    hint = f"did you mean `{close}`?" if close else "the pragma names a function with a body in the same file"
    raise SourceError(f"no function `{pragma.name}` is defined in this file", pragma.span, hint)


def _argument(
    argument: ArgumentText, formal: Formal, types: dict[str, Type], scalars: Scalars, source: Source
) -> Argument:
    declared = f"the definition says `{formal.text}`"
    if argument.direction is None:
        if formal.pointer:
            raise SourceError(
                f"`{argument.name}` is an array", argument.span, f"{declared}; write `{argument.name}: in TYPE[LENGTH]`"
            )
        return _scalar(argument, formal, types, scalars, source)
    if not formal.pointer:
        raise SourceError(
            f"`{argument.name}` is a scalar", argument.span, f"{declared}; write `{argument.name} = VALUE`"
        )
    if argument.direction != "in" and formal.constant:
        raise SourceError(
            f"`{argument.name}` is `{argument.direction}` but const", argument.span, f"{declared}; make it `in`"
        )
    element = canonical_type(argument.element or "")
    if element != formal.element and is_known(element) and is_known(formal.element):
        raise SourceError(f"`{argument.name}` is an array of {formal.element}, not {element}", argument.span, declared)
    return _array(argument, element, types, scalars, source)


def _scalar(
    argument: ArgumentText, formal: Formal, types: dict[str, Type], scalars: Scalars, source: Source
) -> ScalarArgument:
    integral = is_integral(formal.element)
    value = _expression(argument.value, types, source, "a number")
    number = _evaluate(value, scalars, argument.value, source)
    if integral and isinstance(value.type, RealType):
        raise SourceError(
            f"`{argument.name}` is {formal.element} in the definition, got a real value",
            _span(argument.value, source),
            "`/` is real division; `//` divides whole numbers",
        )
    types[argument.name] = BOOL if formal.element == "bool" else INTEGER if integral else REAL
    scalars[argument.name] = number if integral else float(number)
    return ScalarArgument(name=argument.name, element=formal.element, value=value)


def _array(
    argument: ArgumentText, element: str, types: Mapping[str, Type], scalars: Scalars, source: Source
) -> ArrayArgument:
    length = _expression(argument.value, types, source, "a number of elements")
    if not isinstance(length.type, IntegerType):
        raise SourceError(
            f"the length of `{argument.name}` must be a whole number, got a {length.type}",
            _span(argument.value, source),
            "`/` is real division; `//` divides whole numbers",
        )
    count = _evaluate(length, scalars, argument.value, source)
    if not 1 <= count <= ELEMENT_LIMIT:
        raise SourceError(
            f"the length of `{argument.name}` must be 1 to {ELEMENT_LIMIT}, got {count}", _span(argument.value, source)
        )
    inner = {**types, "i": INTEGER}
    return ArrayArgument(
        name=argument.name,
        element=element,
        direction=argument.direction,  # type: ignore[arg-type]
        length=length,
        fill=_expression(argument.fill, inner, source, "a number") if argument.fill else None,
        lo=_expression(argument.lo, types, source, "a number") if argument.lo else None,
        hi=_expression(argument.hi, types, source, "a number") if argument.hi else None,
    )


def _expression(text: ExpressionText, types: Mapping[str, Type], source: Source, what: str) -> Expr:
    value = parse(text.text, types, source=source, offset=text.start)
    if not isinstance(value.type, (BoolType, IntegerType, RealType)):
        raise SourceError(f"expected {what}, got a {value.type}", _span(text, source))
    return value


def _evaluate(e: Expr, scalars: Scalars, text: ExpressionText, source: Source) -> int | float:
    value = constant_value(e, scalars)
    if value is None:
        raise SourceError("this has no value (a division by zero?)", _span(text, source))
    return value


def _span(text: ExpressionText, source: Source) -> Span:
    return source.span(text.start, text.end)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
