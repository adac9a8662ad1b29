"""A loop's header: where its index starts, its step, and the condition under which it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.c.scops.numbers.affine import Names, Whole, isl_text, whole
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.numbers.c_types import SIGNED, UNSIGNED
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Items,
    Jump,
    Name,
    Number,
    Statement,
    Step,
    Tried,
    While,
)
from tunepass.frontends.cfamily.syntax.walk import names as named
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.types.declared import element_of

STEP_LIMIT = 1 << 10  # times the largest tile, still an int
NARROW = frozenset({"short", "int8_t", "int16_t", "signed char"})  # counted in wider numbers when written anew
NARROW_UNSIGNED = frozenset({"char", "unsigned char", "unsigned short", "uint8_t", "uint16_t"})
BOUND_HINT = "write bounds with `+`, `-`, numbers, outer indices and whole numbers that the nest does not change"

EXIT_HINTS = {
    "break": "find first where the loop stops (`end`), and let it run to `i < end`; or let the pragma stand before an "
    "inner loop without it",
    "return": "keep the result in a variable and return after the loops; or let the pragma stand before an inner loop "
    "without it",
    "continue": "write `if (c) continue;` as a statement of the loop's own body, or put what follows into an `if`",
    "goto": "write what the jump skips as an `if`; or let the pragma stand before an inner loop without it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Downwards(For):
    """Its index goes down and stops at the last value that is not below zero, whatever its type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapsBelowZero(Downwards):
    """Only of an unsigned index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoLoop(For):
    """Its first iteration is under no condition."""


class NotAffineError(Exception):
    """Why a loop cannot be taken apart, at [start, end) of the source, and what to do."""

    def __init__(self, reason: str, start: int, end: int, hint: str = BOUND_HINT):
        super().__init__(reason)
        self.reason, self.start, self.end, self.hint = reason, start, end, hint


@dataclass(frozen=True, slots=True)
class Header:
    """`conditions` are isl's texts in which the index is called `index`; `unsigned` of its type."""

    index: str
    declared: tuple[str, ...] | None  # the type's words, if the header declares the index
    start: Expression
    step: int


def read_header(loop: For, names: Names) -> Header:
    """What can be said before the index is known as one; NotAffineError for any other form of loop."""
    index, declared, start = _begin(loop)
    step = _step(loop, index, names)
    if not 1 <= abs(step) <= STEP_LIMIT:
        raise _fault(loop, f"a step is 1 to {STEP_LIMIT}, got {abs(step)}")
    jump = leaving(loop.body)
    if jump is not None:
        raise NotAffineError(
            f"`{jump.kind}` leaves the loop over `{index}`" if jump.kind != "label" else
            f"there is a label in the loop over `{index}`",
            jump.start, jump.end, EXIT_HINTS.get(jump.kind, "let the pragma stand before an inner loop without it"),
        )  # fmt: skip
    return Header(index, declared, start, step)


def _fault(loop: For, reason: str, hint: str = "write `for (i = 0; i < n; i++)`: a constant step") -> NotAffineError:
    return NotAffineError(reason, loop.start, loop.header_end, hint)


def _begin(loop: For) -> tuple[str, tuple[str, ...] | None, Expression]:
    begin = loop.begin
    if isinstance(begin, Declaration) and len(begin.declarators) == 1:
        declarator = begin.declarators[0]
        if not declarator.name.text or element_of(begin.words) == "auto":
            hint = "say its type: `int`, `long`, `std::size_t`"
            raise _fault(loop, f"an index of type `{begin.words[0]}` cannot be rewritten", hint)
        value = declarator.value
        if isinstance(value, Items) and len(value.parts) < 2:  # `int i{0}`, or `int i{}`, which is zero
            value = value.parts[0] if value.parts else Number(Token("number", "0", loop.start, loop.start))
        if value is not None and not declarator.shape:
            return declarator.name.text, begin.words, value
    if isinstance(begin, Assign) and begin.op == "=" and isinstance(begin.target, Name):
        return begin.target.text, None, begin.value
    raise _fault(loop, "this loop does not set one index to where it starts")


def _step(loop: For, index: str, names: Names) -> int:
    match loop.advance:
        case Step(op, Name() as name) if name.text == index:
            return 1 if op.text == "++" else -1
        case Assign("+=" | "-=" as op, Name() as name, by) if name.text == index:
            return _constant(loop, by, names) * (1 if op == "+=" else -1)
        case Assign("=", Name() as name, Binary("+" | "-" as op, Name() as left, by)) if (
            name.text == index == left.text
        ):
            return _constant(loop, by, names) * (1 if op == "+" else -1)
        case Assign("=", Name() as name, Binary("+", by, Name() as right)) if name.text == index == right.text:
            return _constant(loop, by, names)
    if loop.condition is not None and index not in named(loop.condition):
        hint = f"set the index that the condition names in the header; `{index}` may be set before the loop"
        raise _fault(loop, f"this loop sets `{index}`, which its condition does not name", hint)
    raise _fault(loop, f"this loop does not step `{index}` by a constant")


def _constant(loop: For, e: Expression, names: Names) -> int:
    value = whole(e, names)
    if value is None or value.affine.strides:
        raise _fault(loop, "this loop's step is not a constant")
    return value.affine.offset


def leaving(s: Statement | None, own: frozenset[str] = frozenset()) -> Jump | None:
    """A jump out of the loop or of an iteration of it; the words `own` stay inside its body."""
    match s:
        case Jump():
            return None if s.kind in own or s.kind in ("case", "asm", "__asm__") else s
        case Block():
            return next((j for inner in s.statements if (j := leaving(inner, own))), None)
        case If():
            return leaving(s.then, own) or leaving(s.other, own)
        case For():
            return leaving(s.body, own | {"break", "continue"})
        case ForEach():
            return leaving(s.body, own | {"break", "continue"})
        case While():
            return leaving(s.body, own | ({"break"} if s.kind == "switch" else {"break", "continue"}))
        case Evaluated(expression=Tried(blocks=blocks)):
            return next((j for block in blocks if (j := leaving(block, own))), None)
    return None


def conditions(loop: For, header: Header, name: str, names: Names, start: Whole) -> tuple[str, ...]:
    """isl's texts for every part of the condition; `names` know the index, which isl's text calls `name`."""
    texts = _bounds(loop, header, name, names, start)
    if isinstance(loop, DoLoop):
        return (f"{name} = {isl_text(start.affine)} or ({' and '.join(texts)})",)
    return texts


def _bounds(loop: For, header: Header, name: str, names: Names, start: Whole) -> tuple[str, ...]:
    return tuple(_bound(loop, header, name, names, start, part) for part in _conjuncts(loop.condition))


def _conjuncts(e: Expression | None) -> list[Expression]:
    parts: list[Expression] = []
    while isinstance(e, Binary) and e.op == "&&":
        parts.append(e.right)
        e = e.left
    return [*parts, e] if e is not None else parts


def _bound(loop: For, header: Header, name: str, names: Names, start: Whole, part: Expression) -> str:
    if not isinstance(part, Binary) or part.op not in ("<", "<=", ">", ">=", "!="):
        raise _fault(loop, f"this loop's condition is not a bound of `{header.index}`", BOUND_HINT)
    left, right = whole(part.left, names), whole(part.right, names)
    if left is None or right is None:
        raise _fault(loop, f"a bound of `{header.index}` depends on data or is not affine", BOUND_HINT)
    difference = left.affine.plus(right.affine.scaled(-1))
    slope = dict(difference.strides).get(name, 0) * header.step
    op = {"!=": "<" if slope > 0 else ">"}.get(part.op, part.op)
    if slope == 0 or (slope > 0) != (op[0] == "<"):
        raise _fault(loop, f"this loop steps away from its end, or its condition does not name `{header.index}`")
    if part.op == "!=" and abs(slope) != 1:
        raise _fault(loop, f"`!=` with a step of {abs(header.step)} may never be met", "write `<` or `>`")
    apart = left.unsigned != right.unsigned and not isinstance(loop, Downwards)
    if apart and not start.unsigned and (start.affine.strides or start.affine.offset < 0):
        known = all(s > 0 for _, s in start.affine.strides) and start.affine.offset >= 0
        if not known:
            raise _fault(loop, "a signed index that may start below 0 is compared with an unsigned number",
                         "declare both signed")  # fmt: skip
    return f"{isl_text(difference)} {op} 0"


def first_constraints(header: Header, name: str, start: Affine) -> tuple[str, ...]:
    """From where the index starts, in its steps."""
    text = isl_text(start)
    away = f"{name} >= {text}" if header.step > 0 else f"{name} <= {text}"
    distance = isl_text(Affine.of(name).plus(start.scaled(-1)))
    return (away,) if abs(header.step) == 1 else (away, f"({distance}) mod {abs(header.step)} = 0")


def check_type(loop: For, header: Header, type_: str | None) -> str:
    """The C type of the index, which is one that an index can have."""
    if type_ is None or type_ not in SIGNED | UNSIGNED | NARROW | NARROW_UNSIGNED:
        raise _fault(loop, f"`{header.index}` is no whole number that can be an index", "declare it `int`")
    if isinstance(loop, WrapsBelowZero) and type_ not in UNSIGNED:
        raise _fault(loop, f"`{header.index}` counts down below its end")
    downwards = header.step < 0 and type_ in UNSIGNED | NARROW_UNSIGNED
    if downwards and (type_ in NARROW_UNSIGNED or not stops_above_zero(loop, header)):
        raise _fault(loop, "an unsigned index that counts down cannot be read", "count up, or use `long`")
    return type_


def stops_above_zero(loop: For, header: Header) -> bool:
    """Does an unsigned index that counts down stop before it wraps?"""
    if isinstance(loop, Downwards):
        return True
    return any(_is_above(part, header) for part in _conjuncts(loop.condition))


def _is_above(part: Expression, header: Header) -> bool:
    """`i > e`, `i >= 1`, `i != 0` with steps that cannot pass the end."""
    match part:
        case Binary(">" | ">=" | "!=" as op, Name() as name, end) if name.text == header.index:
            value = literal(end.token.text) if isinstance(end, Number) else None
        case Binary("<" | "<=" | "!=" as op, end, Name() as name) if name.text == header.index:
            value = literal(end.token.text) if isinstance(end, Number) else None
        case _:
            return False
    if value is None:
        return header.step == -1 and op in (">", "<")
    return value + (op not in (">=", "<=")) >= -header.step
