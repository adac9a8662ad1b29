"""What a local variable stands for: a whole number of others, or a place in an array that a pointer is set to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunepass.frontends.c.scops.numbers.c_types import CAST, SIGNED, UNSIGNED
from tunepass.frontends.c.scops.numbers.plain_text import grouped
from tunepass.frontends.c.scops.statements.variables import Variable, Variables
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Cast,
    Conditional,
    Expression,
    Index,
    Name,
    Number,
    SizeOf,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token, closings, tokens
from tunepass.frontends.cfamily.types.declared import canonical_type

TEXT_LIMIT = 200  # characters of a definition, which every use repeats
OPERATORS = frozenset(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "<", "<=", ">", ">=", "==", "!=", "&&", "||"))
WIDE = "long"


@dataclass(frozen=True, slots=True)
class ReachingDefinition:
    """Of a number its `value` and `text`; of a pointer the lvalue `root` with the `value` that is added to it, if any.

    `root_text` and `offset` are the parts of a pointer's text where it shows them. `operands` are the names in it, each
    with the subscripts up to which an assignment changes it. `origin` is where it is declared, -1 where it is assigned.
    """

    name: str
    value: Expression | None
    root: Expression | None
    text: str
    operands: Mapping[str, int]
    origin: int
    words: frozenset[str] = frozenset()
    root_text: str = ""
    offset: str = ""


def number_of(e: Expression, text: str, variable: Variable, known: Variables) -> tuple[Expression, str] | None:
    """(value, C text) of arithmetic that the whole number `variable` is set to, converted to its type."""
    if variable.element not in SIGNED | UNSIGNED or not _is_arithmetic(e, known):
        return None
    if _type(e, known) == variable.element:
        return e, grouped(text)
    type_ = CAST.get(variable.element, variable.element)
    return Cast(variable.element, False, e), f"(({type_}){grouped(text)})"


def _is_arithmetic(e: Expression, known: Variables) -> bool:
    """Of numbers and whole variables, without effects."""
    match e:
        case Number(token):
            return literal(token.text) is not None
        case Name(token):
            variable = known.get(token.text)
            return variable is None or (variable.integral and not variable.volatile)
        case SizeOf():
            return True
        case Unary(op, operand):
            return op.text in ("-", "+", "!", "~") and _is_arithmetic(operand, known)
        case Cast(type_, False, operand):
            return canonical_type(type_) in SIGNED | UNSIGNED and _is_arithmetic(operand, known)
        case Binary(op, left, right):
            return op in OPERATORS and _is_arithmetic(left, known) and _is_arithmetic(right, known)
        case Conditional(a, b, c):
            return all(_is_arithmetic(part, known) for part in (a, b, c))
    return False


def _type(e: Expression, known: Variables) -> str | None:
    """The one type of all variables in arithmetic with plain numbers; None where it needs more thought."""
    types: set[str | None] = set()
    for part in parts(e):
        match part:
            case Name(token):
                variable = known.get(token.text)
                types.add(variable.element if variable else None)
            case Number(token) if not token.text.isdigit() or int(token.text) >= 1 << 31:
                types.add(None)
            case Cast(type_, _, _):
                types.add(canonical_type(type_))
            case SizeOf():
                types.add(None)
            case Binary("<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||", _, _):
                types.add("int")
    only = types.pop() if len(types) == 1 else None if types else "int"
    return only if only in SIGNED | UNSIGNED else None


def place_of(e: Expression, variable: Variable, known: Variables) -> tuple[Expression, Expression | None] | None:
    """(the lvalue it starts from, what is added) of what the pointer `variable` is set to: `a + i`, `&a[i]`, `a[i]`."""
    root, offset = split(e)
    name, count = _named(root)
    if name is None or variable.shape != (None,):
        return None
    array = known.get(name.text)
    if array is None or array.volatile or array.element != variable.element:
        return None
    if len(array.shape) - count != 1:
        return None
    return (root, offset) if offset is None or _is_arithmetic(offset, known) else None


def split(e: Expression) -> tuple[Expression, Expression | None]:
    """`a + i - j`, `&a[i]` as the pointer and what is added to it, if anything."""
    match e:
        case Binary("+" | "-" as op, left, right):
            root, offset = split(left)
            if offset is None:
                return root, right if op == "+" else Unary(Token("op", "-", 0, 0, True), right)
            return root, Binary(op, offset, right)
        case Unary(Token(text="&"), Index(base, subscript)):
            root, offset = split(base) if isinstance(base, Binary) else (base, None)
            return root, subscript if offset is None else Binary("+", offset, subscript)
    return e, None


def _named(root: Expression) -> tuple[Name | None, int]:
    """The array of an lvalue, and how often it is subscripted."""
    count = 0
    while isinstance(root, Index):
        root, count = root.base, count + 1
    return (root if isinstance(root, Name) else None), count


def operands_of(value: Expression | None, root: Expression | None) -> dict[str, int]:
    found = {name.text: 0 for e in (value, root) if e is not None for name in parts(e) if isinstance(name, Name)}
    if root is not None:
        name, count = _named(root)
        if name is not None:
            found[name.text] = max(found[name.text], count)
    return found


def parts(e: Expression) -> Iterator[Expression]:
    """The expression and all in it, of those kinds that a definition is made of."""
    yield e
    match e:
        case Unary(_, operand) | Cast(_, _, operand):
            yield from parts(operand)
        case Binary(_, left, right) | Index(left, right):
            yield from parts(left)
            yield from parts(right)
        case Conditional(a, b, c):
            for part in (a, b, c):
                yield from parts(part)


PRODUCT = ("+", "-", "*", "/", "%", ")", "]", ".")  # operators that bind as `+` does, or more


def place_text(text: str) -> tuple[str, str]:
    """(root, offset) of `a + i * n`, `&a[i][j]`, `a[i]` as texts; empty where the text does not show them."""
    code = list(tokens(text))
    first = 1 if code and code[0].at("&") else 0
    if len(code) <= first or code[first].kind != "name":
        return "", ""
    ends, rest, opening = closings(code), first + 1, 0
    while rest < len(code) and code[rest].at("["):
        opening, rest = rest, ends.get(rest, len(code)) + 1
    if first:
        if not opening or rest != len(code):
            return "", ""
        subscript = text[code[opening].end : code[-1].start].strip()
        return text[code[first].start : code[opening].start].rstrip(), f"({WIDE}){grouped(subscript)}"
    root = text[code[0].start : code[rest - 1].end] if rest <= len(code) else ""
    if rest >= len(code):
        return root, ""
    sign, added = code[rest], code[rest + 1 :]
    if not sign.at("+", "-") or not added or _binds_less(added):
        return "", ""
    return root, f"({WIDE}){grouped(text[added[0].start if sign.at('+') else sign.start :].strip())}"


def _binds_less(code: Sequence[Token]) -> bool:
    """Does something outside of brackets bind less than `+`?"""
    level = 0
    for token in code:
        level += token.at("(", "[") - token.at(")", "]")
        if level == 0 and token.kind == "op" and not token.at(*PRODUCT):
            return True
    return False
