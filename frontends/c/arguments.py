"""An array of a `kernel` pragma beside the formal parameter that takes it: what they say has to agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import INTEGER, Binary, BoolType, Expr, IntegerType, RealType, Type, free_names
from tunepass.expr.parser import parse
from tunepass.frontends.c.constants import constant_value
from tunepass.frontends.c.elements import UnknownElement, enumerators_of, leaves_of
from tunepass.frontends.c.inputs import ELEMENT_LIMIT
from tunepass.frontends.c.pragmas.kernel import ArgumentText
from tunepass.frontends.cfamily.declared import CType, Types, element_of, is_known
from tunepass.frontends.cfamily.definitions import Formal
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.ir.c_kernel import ArrayArgument, Container, Leaf

SCATTERED = re.compile(
    r"\b(?:(?:forward_)?list|deque|(?:unordered_)?(?:multi)?(?:map|set)|queue|stack|priority_queue|valarray|\w+_ptr|optional)\s*<"
    r"|\bvector\s*<\s*bool\b"
)
RESIZABLE = re.compile(r"\b(?:vector|basic_string|string)\b")
Scalars = dict[str, int | float]
Names = Mapping[str, Type | Expr]
"""Of scalars the types, of the file's constants the numbers."""


def formal_type(formal: Formal) -> CType:
    """As it is declared; a container is a pointer to its elements."""
    return CType(formal.element, 1) if formal.container else formal.type


def array_argument(
    argument: ArgumentText,
    formal: Formal,
    types: Types,
    names: Names,
    scalars: Scalars,
    source: Source,
) -> ArrayArgument:
    declared = f"the definition says `{formal.text}`"
    kind = types.resolved(formal_type(formal))
    stated = types.resolved(CType(element_of((argument.element or "").split())))
    if not hides_its_type(formal, kind, types):
        _check_shape(argument, formal, kind, declared)
        _check_element(argument, kind.base, stated.base, declared, types, source)
    if SCATTERED.search(formal.text):
        message = f"`{argument.name}` has no array of its elements"
        hint = f"{declared}; vectors, spans, arrays and strings of numbers can be made"
        raise SourceError(message, argument.span, hint)
    if argument.direction != "in" and formal.constant:
        raise SourceError(
            f"`{argument.name}` is `{argument.direction}` but const", argument.span, f"{declared}; make it `in`"
        )
    leaves = element_leaves(argument, stated, types)
    lengths = [_length(argument, text, names, scalars, source) for text in argument.lengths]
    whole = reduce(lambda a, b: Binary("*", a, b, INTEGER, a.span), lengths)
    _check_length(argument, whole, scalars, source)
    inner = {**names, "i": INTEGER}
    return ArrayArgument(
        name=argument.name,
        element=stated.base,
        direction=argument.direction,  # type: ignore[arg-type]
        length=whole,
        fill=expression(argument.fill, inner, source, "a number") if argument.fill else None,
        lo=expression(argument.lo, names, source, "a number") if argument.lo else None,
        hi=expression(argument.hi, names, source, "a number") if argument.hi else None,
        leaves=leaves,
        container=_container(formal, argument),
        enumerators=enumerators_of(stated, types),
        row=lengths[-1] if _has_rows(kind) else None,
    )


def _container(formal: Formal, argument: ArgumentText) -> Container | None:
    """What it may be in C++. Whether a kernel may change the number of elements is said by the types' names."""
    if formal.pointer or (is_known(formal.element) and not formal.container):
        return None
    resized = formal.reference and not formal.constant and argument.direction != "in" and "&&" not in formal.text
    return "resizable" if resized and RESIZABLE.search(formal.text) else "object"


def hides_its_type(formal: Formal, kind: CType, types: Types) -> bool:
    """Only the compiler knows what a macro with arguments is, or a name that no text here defines (`voidpf`)."""
    if "(" in formal.text and "*" not in formal.text:
        return True
    if not formal.container and (formal.reference or "::" in formal.text or "<" in formal.text):
        return True
    named = is_known(kind.base) or _is_plain(kind.base, types) or " " in kind.base
    return not named and not kind.depth and not kind.dims


def element_leaves(argument: ArgumentText, element: CType, types: Types) -> tuple[Leaf, ...]:
    """Of an element that is no plain number."""
    try:
        leaves = leaves_of(element, types)
    except UnknownElement as problem:
        raise SourceError(
            f"the elements of `{argument.name}` cannot be compared one by one", argument.span, str(problem)
        ) from None
    if len(leaves) == 1 and not leaves[0].path and leaves[0].kind == "number":
        return ()
    for leaf in leaves:
        if leaf.kind in ("pointer", "bytes") and argument.direction != "out":
            what = "a pointer" if leaf.kind == "pointer" else "a union"
            raise SourceError(
                f"`{argument.name}` cannot be filled: "
                + (f"{leaf.path[1:]} is {what}" if leaf.path else f"its elements hold {what}"),
                argument.span,
                "a kernel can be called with elements that hold numbers",
            )
    if argument.fill is not None and element.base in types.records:
        raise SourceError(
            f"`fill` gives one number, an element of `{argument.name}` is a {element.base}", argument.span
        )
    return leaves


def _has_rows(kind: CType) -> bool:
    """`double **`, `double *[]`: pointers to rows."""
    return kind.depth + len(kind.dims) == 2 and kind.depth > 0


def _is_plain(base: str, types: Types) -> bool:
    """Does this text say what it is?"""
    return is_known(base) or base in types.records or base in types.enums or base.endswith(" _Complex")


def _check_element(
    argument: ArgumentText, element: str, stated: str, declared: str, types: Types, source: Source
) -> None:
    """The definition's against the pragma's, which a header may define if the text outside pragmas mentions it."""
    if element == stated or not _is_plain(element, types):
        return
    unknown = not _is_plain(stated, types)
    if not unknown or not _is_mentioned(stated, source):
        hint = f"{declared}; no type `{stated}` is known" if unknown else declared
        raise SourceError(f"`{argument.name}` is an array of {element}, not {stated}", argument.span, hint)


def _is_mentioned(base: str, source: Source) -> bool:
    code = re.sub(r"(?m)^\s*#\s*pragma\b.*(?:\\\n.*)*", "", source.text)
    return re.search(rf"\b{re.escape(base)}\b", code) is not None


def _check_shape(argument: ArgumentText, formal: Formal, kind: CType, declared: str) -> None:
    """Stars and brackets of the definition against the lengths of the pragma."""
    if kind.function:
        raise SourceError(f"`{argument.name}` is a pointer to a function", argument.span, declared)
    if not kind.depth and not kind.dims:
        raise SourceError(
            f"`{argument.name}` is a scalar", argument.span, f"{declared}; write `{argument.name} = VALUE`"
        )
    given, element = len(argument.lengths), argument.element
    if _has_rows(kind) and given == 2:
        return
    if kind.depth and kind.depth + len(kind.dims) > 1:
        rows = f"write `{element}[ROWS][LENGTH]`" if _has_rows(kind) else "at most two stars can be passed"
        raise SourceError(f"`{argument.name}` is an array of pointers", argument.span, f"{declared}; {rows}")
    if kind.dims and given not in (1, len(kind.dims)):
        shape = "".join(f"[{dim.strip('*')}]" for dim in kind.dims)
        raise SourceError(
            f"`{argument.name}` has {given} lengths here and {len(kind.dims)} in the definition",
            argument.span,
            f"{declared}; write `{element}{shape}`, or one length for all elements",
        )


def _length(argument: ArgumentText, text: ExpressionText, names: Names, scalars: Scalars, source: Source) -> Expr:
    length = expression(text, names, source, "a number of elements")
    if not isinstance(length.type, IntegerType):
        raise SourceError(
            f"the length of `{argument.name}` must be a whole number, got a {length.type}",
            span_of(text, source),
            "`/` is real division; `//` divides whole numbers",
        )
    evaluated(length, scalars, text, source)
    return length


def _check_length(argument: ArgumentText, length: Expr, scalars: Scalars, source: Source) -> None:
    first, last = argument.lengths[0], argument.lengths[-1]
    count = constant_value(length, scalars)
    if count is None or not 1 <= count <= ELEMENT_LIMIT:
        raise SourceError(
            f"the length of `{argument.name}` must be 1 to {ELEMENT_LIMIT}, got {count}",
            source.span(first.start, last.end),
        )


def expression(text: ExpressionText, names: Names, source: Source, what: str) -> Expr:
    """`names` of constants are replaced by their numbers."""
    types = {name: known if isinstance(known, Type) else known.type for name, known in names.items()}
    numbers = {name: known for name, known in names.items() if not isinstance(known, Type)}
    value = parse(text.text, types, source=source, offset=text.start)
    value = substitute(value, numbers) if free_names(value) & numbers.keys() else value
    if not isinstance(value.type, (BoolType, IntegerType, RealType)):
        raise SourceError(f"expected {what}, got a {value.type}", span_of(text, source))
    return value


def evaluated(e: Expr, scalars: Scalars, text: ExpressionText, source: Source) -> int | float:
    value = constant_value(e, scalars)
    if value is None:
        raise SourceError("this has no value (a division by zero?)", span_of(text, source))
    return value


def span_of(text: ExpressionText, source: Source) -> Span:
    return source.span(text.start, text.end)
