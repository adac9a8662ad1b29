"""Places that a `kernel` pragma names: `A->values: out double[A->n]`, `A->rows: inout int[A->n][A->m]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.nodes import INTEGER
from tunepass.frontends.c.call.arguments import Names, expression, rows_of
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.setup.element_members import target
from tunepass.frontends.c.setup.elements import UnknownElement, leaves_of
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression, Index, Member, Name, SyntaxFault, Unary
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.types.declared import CType, Types, is_known, named_type
from tunepass.ir.c_kernel import Leaf, MemoryPlace


def named_places(
    texts: Sequence[ArgumentText], roots: Mapping[str, CType], names: Names, types: Types, source: Source
) -> tuple[MemoryPlace, ...]:
    """`roots` are the types of the arguments and variables that the places are reached from."""
    return tuple(place for text in texts for place in _places(text, roots, names, types, source))


def _places(
    text: ArgumentText, roots: Mapping[str, CType], names: Names, types: Types, source: Source
) -> list[MemoryPlace]:
    """One, or those of the pointers to rows, and then the rows."""
    filled = any(e is not None for e in (text.fill, text.lo, text.hi))
    if text.direction == "in" and not filled:
        hint = "fill it with `range(lo, hi)` or `fill(expression)`, leave it out, or make it `inout`"
        raise SourceError(f"`{text.name}` is as the setup leaves it, and `in` is not compared", text.span, hint)
    stated = types.resolved(CType(named_type(text.element or "")))
    if filled and not is_known(stated.base):
        raise SourceError(f"`{text.name}` does not hold plain numbers, so it cannot be filled", text.span)
    inner = {**names, "i": INTEGER}
    lengths = [f"({length.text})" for length in text.lengths] + [f"({dim})" for dim in stated.dims]
    kind = type_of_place(text.name, roots, types)
    outer, rows = _rows(text, kind, lengths)
    if rows and filled:
        hint = "let the setup fill them, and make it `inout`"
        raise SourceError(f"`{text.name}` is an array of pointers, whose rows cannot be filled", text.span, hint)
    last = MemoryPlace(
        text=f"{text.name}{'[]' * len(outer)}",
        element=stated.base,
        direction="out" if text.direction == "out" else "inout",
        length="*".join(rows or lengths if text.lengths else ()),
        within=f"{text.name}{'[]' * (len(outer) - 1)}" if outer else "",
        followed=bool(outer),
        filled=filled,
        fill=expression(text.fill, inner, source, "a number") if text.fill else None,
        lo=expression(text.lo, names, source, "a number") if text.lo else None,
        hi=expression(text.hi, names, source, "a number") if text.hi else None,
        leaves=_leaves(text, stated, types),
        span=text.span,
    )
    return [*_tables(text, outer), last]


def _rows(text: ArgumentText, kind: CType | None, lengths: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The lengths of each array of pointers, and those of a row; none where everything is one array."""
    starts = rows_of(kind) if kind is not None and text.lengths else []
    if kind is None or not starts:
        return [], []
    if len(lengths) != kind.depth + len(kind.dims):
        shape = f"{text.element}{'[ROWS]' * (kind.depth + len(kind.dims) - 1)}[LENGTH]"
        hint = f"write `{text.name}: {text.direction} {shape}`: one length for each pointer on the way, and for a row"
        raise SourceError(f"`{text.name}` is an array of pointers", text.span, hint)
    ends = [*starts[1:], len(lengths)]
    first = [list(lengths[: starts[0]])]
    parts = [list(lengths[a:b]) for a, b in zip(starts, ends)]
    return [*first, *parts[:-1]], parts[-1]


def _tables(text: ArgumentText, outer: Sequence[Sequence[str]]) -> list[MemoryPlace]:
    """The arrays of pointers, which are compared by where they lead."""
    return [
        MemoryPlace(
            text=f"{text.name}{'[]' * depth}",
            element="",
            direction="inout",
            length="*".join(lengths),
            within=f"{text.name}{'[]' * (depth - 1)}" if depth else "",
            followed=bool(depth),
            leaves=(Leaf("", "void *", "pointer"),),
            span=text.span,
        )
        for depth, lengths in enumerate(outer)
    ]


def _leaves(text: ArgumentText, stated: CType, types: Types) -> tuple[Leaf, ...]:
    try:
        leaves = leaves_of(CType(stated.base, stated.depth, (), stated.function), types)
    except UnknownElement as problem:
        raise SourceError(f"`{text.name}` cannot be compared", text.span, str(problem)) from None
    plain = len(leaves) == 1 and leaves[0].alone
    return () if plain else leaves


def type_of_place(text: str, roots: Mapping[str, CType], types: Types) -> CType | None:
    """The type of an expression of members, subscripts and stars; None of anything else."""
    try:
        parsed = parse_expression(list(tokens(text)))
    except SyntaxFault:
        return None
    kind = _type_of(parsed, roots, types)
    return None if kind is None else types.resolved(kind)


def _type_of(e: Expression, roots: Mapping[str, CType], types: Types) -> CType | None:
    match e:
        case Name():
            return roots.get(e.text)
        case Index():
            return _behind(_type_of(e.base, roots, types), types)
        case Unary(op, operand) if op.text == "*":
            return _behind(_type_of(operand, roots, types), types)
        case Member():
            outer = _type_of(e.base, roots, types)
            record = None if outer is None else types.records.get(types.resolved(outer).base)
            members = () if record is None else record.members
            return next((member.type for member in members if member.name == e.name.text), None)
    return None


def _behind(kind: CType | None, types: Types) -> CType | None:
    known = None if kind is None else types.resolved(kind)
    return target(known, types) if known is not None and (known.depth or known.dims) and not known.function else None
