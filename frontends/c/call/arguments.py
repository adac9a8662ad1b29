"""An array of a `kernel` pragma beside the formal parameter that takes it: what they say has to agree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce

from tunepass.diagnostics import Source, SourceError, Span, nearest
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import INTEGER, Binary, BoolType, Constant, Expr, IntegerType, RealType, Type, free_names
from tunepass.expr.parser import parse
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.call.inputs import ELEMENT_LIMIT
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.setup.elements import UnknownElement, enumerators_of, leaves_of
from tunepass.frontends.cfamily.constants.plain_numbers import with_plain_numbers
from tunepass.frontends.cfamily.constants.scoped_constants import QUALIFIED
from tunepass.frontends.cfamily.functions.definitions import Formal
from tunepass.frontends.cfamily.text.names import pieces
from tunepass.frontends.cfamily.types.declared import CType, Types, is_known, may_be_same, named_type
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.ir.c_kernel import ArrayArgument, Container, Leaf, NamedArgument

SCATTERED = re.compile(
    r"\b(?:(?:forward_)?list|deque|(?:unordered_)?(?:multi)?(?:map|set)|queue|stack|priority_queue|valarray|\w+_ptr|optional)\s*<"
    r"|\bvector\s*<\s*bool\b"
)
RESIZABLE = re.compile(r"\b(?:vector|basic_string|string)\b")
NAME = re.compile(r"[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*")
SCOPE = re.compile(r"[A-Za-z_]\w*(?:<.*>)?")
MADE_BY_USER = "elements that hold numbers can be filled; a function of yours can make others: `setup(FUNCTION)`"
OR_WORK = "where nobody needs what the kernel leaves there, write `work`; or make it yourself: `setup(FUNCTION)`"
NULL = ("0", "NULL", "nullptr")
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
    stated = types.resolved(CType(named_type(argument.element or "")))
    if may_be_same(kind.base, stated.base):
        stated = CType(kind.base)
    by_value = not (formal.reference or formal.container) and is_made_of_numbers(kind, types)
    if not hides_its_type(formal, kind, types):
        if not by_value:
            _check_shape(argument, formal, kind, declared)
        _check_element(argument, kind.base, stated.base, declared, types, source)
    if not formal.pointer and SCATTERED.search(formal.text):
        message = f"`{argument.name}` has no array of its elements"
        hint = f"{declared}; vectors, spans, arrays and strings of numbers can be made"
        raise SourceError(message, argument.span, hint)
    if argument.direction != "in" and formal.constant:
        raise SourceError(
            f"`{argument.name}` is `{argument.direction}` but const", argument.span, f"{declared}; make it `in`"
        )
    leaves = element_leaves(argument, stated, types)
    lengths = [_length(argument, text, names, scalars, source) for text in argument.lengths]
    lengths += _element_lengths(argument, stated)
    whole = _product(lengths)
    row, pointer_rows = _rows(kind, lengths)
    _check_length(argument, whole, scalars, source)
    if by_value:
        _check_value(argument, whole, scalars, declared)
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
        row=row,
        pointer_rows=pointer_rows,
        by_value=by_value,
    )


def _container(formal: Formal, argument: ArgumentText) -> Container | None:
    """What it may be in C++. Whether a kernel may change the number of elements is said by the types' names."""
    if formal.pointer or (is_known(formal.element) and not formal.container):
        return None
    resized = formal.reference and not formal.constant and argument.direction != "in" and "&&" not in formal.text
    return "resizable" if resized and RESIZABLE.search(formal.text) else "object"


def named_constant(argument: ArgumentText, names: Names) -> NamedArgument | None:
    """`mode = traits<T>::mode`: a constant with scopes, of which only the compiler knows the value."""
    text = "".join(argument.value.text.split()) if argument.value is not None else ""
    parts = pieces(text.removeprefix("::"))
    scoped = len(parts) > 1 and all(SCOPE.fullmatch(part) for part in parts)
    return NamedArgument(name=argument.name, text=text) if scoped and text not in names else None


def named_argument(argument: ArgumentText, kind: CType) -> NamedArgument | None:
    """`compare = by_size` of a pointer to a function, and `context = 0` of any pointer."""
    text = argument.value.text.strip() if argument.value is not None else ""
    if kind.function and NAME.fullmatch(text):
        return NamedArgument(name=argument.name, text=text)
    if (kind.depth or kind.dims) and text in NULL:
        return NamedArgument(name=argument.name, text="0")
    return None


def is_made_of_numbers(kind: CType, types: Types) -> bool:
    """A struct or a complex number, and no address of one."""
    return not kind.depth and not kind.dims and (kind.base in types.records or kind.base.endswith(" _Complex"))


def _check_value(argument: ArgumentText, length: Expr, scalars: Scalars, declared: str) -> None:
    if argument.direction == "in" and constant_value(length, scalars) == 1:
        return
    hint = f"{declared}; write `{argument.name}: in {argument.element}[1]`"
    raise SourceError(f"`{argument.name}` is one {argument.element}, passed by value", argument.span, hint)


def hides_its_type(formal: Formal, kind: CType, types: Types) -> bool:
    """Only the compiler knows what a macro with arguments is, or a name that no text here defines (`voidpf`)."""
    if "(" in formal.text and "*" not in formal.text:
        return True
    if not formal.container and (formal.reference or "::" in formal.text or "<" in formal.text):
        return True
    named = is_known(kind.base) or _is_plain(kind.base, types) or " " in kind.base
    return not named and not kind.depth and not kind.dims


def element_leaves(argument: ArgumentText, element: CType, types: Types) -> tuple[Leaf, ...]:
    """Of an element that is no plain number; those of a `work` array are not looked at."""
    if argument.direction == "work" and is_defined(element, types):
        return ()
    try:
        leaves = leaves_of(element, types)
    except UnknownElement as problem:
        raise SourceError(
            f"the elements of `{argument.name}` cannot be compared one by one", argument.span, f"{problem}; {OR_WORK}"
        ) from None
    if len(leaves) == 1 and leaves[0].alone:
        return ()
    for leaf in leaves:
        if leaf.kind in ("pointer", "bytes") and argument.direction != "out":
            what = "a pointer" if leaf.kind == "pointer" else "a union"
            raise SourceError(
                f"`{argument.name}` cannot be filled: "
                + (f"{leaf.path[1:]} is {what}" if leaf.path else f"its elements hold {what}"),
                argument.span,
                MADE_BY_USER,
            )
    if argument.fill is not None and element.base in types.records:
        raise SourceError(
            f"`fill` gives one number, an element of `{argument.name}` is a {element.base}", argument.span
        )
    return leaves


def is_defined(element: CType, types: Types) -> bool:
    """Is the size of an element known to the compiler?"""
    tagged = element.base.partition(" ")[0] in ("struct", "union")
    return bool(element.depth) or not tagged or element.base in types.records


def rows_of(kind: CType) -> list[int]:
    """Which of the steps from the argument to an element read a pointer, the first step apart: (1, 2) of `double ***`,
    (1,) of `double *A[]` and of `double (**A)[4]`."""
    steps = [*(dim == "*" for dim in kind.dims), *[True] * kind.depth]
    return [step for step, pointer in enumerate(steps) if step and pointer]


def _rows(kind: CType, lengths: Sequence[Expr]) -> tuple[Expr | None, tuple[Expr, ...]]:
    """The length of a row of elements, and those of rows of pointers, innermost first."""
    starts = rows_of(kind)
    if not starts:
        return None, ()
    row, *between = [_product(lengths[a:b]) for a, b in reversed(list(zip(starts, [*starts[1:], len(lengths)])))]
    return row, tuple(between)


def _product(lengths: Sequence[Expr]) -> Expr:
    return reduce(lambda a, b: Binary("*", a, b, INTEGER, a.span), lengths)


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
    if rows_of(kind):
        if given != kind.depth + len(kind.dims):
            rows = f"write `{element}{'[ROWS]' * (kind.depth + len(kind.dims) - 1)}[LENGTH]`"
            raise SourceError(f"`{argument.name}` is an array of pointers", argument.span, f"{declared}; {rows}")
        return
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


def _element_lengths(argument: ArgumentText, stated: CType) -> list[Expr]:
    """Of a type that is an array itself: `typedef double row[4]`."""
    if not all(dim.isdigit() for dim in stated.dims):
        raise SourceError(f"the length of a `{argument.element}` is not known", argument.span)
    return [Constant(int(dim), INTEGER, argument.span) for dim in stated.dims]


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
    plain, scoped = _with_plain_names(text, names, source)
    names = {**names, **scoped}
    types = {name: known if isinstance(known, Type) else known.type for name, known in names.items()}
    numbers = {name: known for name, known in names.items() if not isinstance(known, Type)}
    value = parse(with_plain_numbers(plain), types, source=source, offset=text.start)
    value = substitute(value, numbers) if free_names(value) & numbers.keys() else value
    if not isinstance(value.type, (BoolType, IntegerType, RealType)):
        raise SourceError(f"expected {what}, got a {value.type}", span_of(text, source))
    return value


def _with_plain_names(text: ExpressionText, names: Names, source: Source) -> tuple[str, Names]:
    """The text with a plain name of the same length for each with scopes, and what these are."""
    plain, constants = text.text, dict[str, Type | Expr]()
    for match in QUALIFIED.finditer(text.text):
        name = "".join(match.group().split())
        if name not in names:
            span = source.span(text.start + match.start(), text.start + match.end())
            close = nearest(name, [known for known in names if "::" in known])
            hint = f"did you mean `{close}`?" if close else "write its number, or let a macro be it"
            raise SourceError(f"no constant `{name}` with a value is known here", span, hint)
        word = re.sub(r"\W", "_", match.group())
        constants[word] = names[name]
        plain = plain[: match.start()] + word + plain[match.end() :]
    return plain, constants


def evaluated(e: Expr, scalars: Scalars, text: ExpressionText, source: Source) -> int | float:
    value = constant_value(e, scalars)
    if value is None:
        raise SourceError("this has no value (a division by zero?)", span_of(text, source))
    return value


def span_of(text: ExpressionText, source: Source) -> Span:
    return source.span(text.start, text.end)
