"""Reads the statements of a nest's body as whole numbers that are affine in the loop indices, and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.frontends.c.loops.affine import Affine
from tunepass.frontends.c.loops.body_tokens import BodyToken, BodyTokens

TYPES = frozenset(
    {"char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool", "_Bool", "size_t", "ptrdiff_t"}
    | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
QUALIFIERS = frozenset({"const", "register", "volatile"})
STATEMENTS = frozenset({"if", "for", "while", "do", "switch", "case", "default", "else"})
CHEAP = frozenset({"fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "fma", "fmaf", "abs"})
SLOW = frozenset({"sqrt", "sqrtf"})
EXPONENTIAL = ("exp", "exp2", "log", "log2", "log10", "pow", "sinh", "cosh", "tanh", "erf")
CIRCULAR = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "floor", "ceil", "round")
MATHS = frozenset(f"{name}{suffix}" for name in (*EXPONENTIAL, *CIRCULAR) for suffix in ("", "f"))
LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
DEPTH_LIMIT = 40  # of brackets and signs; each is a dozen calls here
SCALAR_BYTE = 8  # of a scalar that is kept from one iteration to the next


class UnreadableError(Exception):
    """What is not understood, and its place in the source."""

    def __init__(self, reason: str, start: int, end: int):
        super().__init__(reason)
        self.reason, self.start, self.end = reason, start, end


@dataclass(frozen=True, slots=True)
class OuterNames:
    """What names outside the body are. `arrays`: element size in bytes, and the extents of all but the first dimension;
    `sizes`: whole numbers; `opaque`: macros whose text is not a number, or that a parameter sets."""

    arrays: Mapping[str, tuple[int, tuple[int, ...]]]
    sizes: Mapping[str, int]
    opaque: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """One element, as a function of the indices."""

    array: str
    strides: tuple[tuple[str, int], ...]
    offset: int


@dataclass(slots=True)
class Use:
    element_byte: int
    read: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class BodyValue:
    """`affine`: a whole number known as a function of the indices, None for data. `place`: where it may be assigned."""

    affine: Affine | None = None
    place: Place | None = None
    element_byte: int = SCALAR_BYTE
    local: str = ""


DATA = BodyValue()


class BodyReader:
    """Statements read into `accesses` and counts of operations."""

    def __init__(self, tokens: BodyTokens, names: OuterNames, indices: Sequence[str]):
        self.tokens, self.names = tokens, names
        self.locals: dict[str, BodyValue] = {index: BodyValue(Affine.of(index)) for index in indices}
        self.accesses: dict[Place, Use] = {}
        self.operations = self.divisions = self.calls = self.chained = 0
        self.depth = 0

    def constant(self) -> int | None:
        """The whole text as one whole number."""
        value = self._value()
        if self.tokens.next.kind != "end" or value.affine is None or value.affine.strides:
            return None
        return value.affine.offset

    def read(self) -> None:
        while self.tokens.next.kind != "end":
            self._statement()

    # --- statements -----------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        tokens = self.tokens
        if tokens.accept(";"):
            return
        if tokens.accept("{"):
            outer = dict(self.locals)
            while not tokens.accept("}"):
                if tokens.next.kind == "end":
                    raise self._unreadable("`}` is missing")
                self._statement()
            self.locals = outer
            return
        if tokens.next.text in STATEMENTS:
            raise self._unreadable(f"`{tokens.next.text}` in the body")
        if tokens.next.text in TYPES | QUALIFIERS:
            self._declaration()
        else:
            self._assignment()
            while tokens.accept(","):
                self._assignment()
        self._expect(";")

    def _declaration(self) -> None:
        while self.tokens.next.text in TYPES | QUALIFIERS:
            self.tokens.take()
        while True:
            name = self.tokens.take()
            if name.kind != "name" or self.tokens.at("[", "("):
                raise self._unreadable("this declaration is not of a scalar", name)
            value = self._assigned() if self.tokens.accept("=") else DATA
            self.locals[name.text] = BodyValue(value.affine, local=name.text)
            if not self.tokens.accept(","):
                return

    def _assigned(self) -> BodyValue:
        return self._load(self._conditional())

    def _assignment(self) -> None:
        """An assignment, a step, or an expression without effect."""
        tokens = self.tokens
        step = tokens.accept("++", "--")
        before = self.operations + self.divisions + self.calls
        target = self._conditional()
        operator = tokens.next
        if step or tokens.at("++", "--"):
            if not step:
                tokens.take()
            self._store(target, compound=True, operator="+", token=operator)
        elif operator.text in ASSIGNMENTS:
            tokens.take()
            self._assigned()
            self._store(target, operator.text != "=", operator.text[:-1], operator)
        else:
            self._load(target)
            return
        if target.place and self.accesses[target.place].read:
            spent = self.operations + self.divisions + self.calls - before
            self.chained = max(self.chained, 1 if operator.text != "=" else spent)

    def _store(self, target: BodyValue, compound: bool, operator: str, token: BodyToken) -> None:
        if target.local:
            self.locals[target.local] = BodyValue(local=target.local)
        elif target.place is None:
            raise self._unreadable("this is assigned to, and is no element of an array", token)
        else:
            use = self.accesses.setdefault(target.place, Use(target.element_byte))
            use.written = True
            use.read = use.read or compound
        if compound:
            self._count(operator)

    # --- expressions ----------------------------------------------------------------------------------------------

    def _value(self) -> BodyValue:
        return self._conditional()

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise self._unreadable("this is nested too deeply")

    def _conditional(self) -> BodyValue:
        self._deeper()
        value = self._binary(0)
        if self.tokens.accept("?"):
            self._load(value)
            self._load(self._conditional())
            self._expect(":")
            self._load(self._conditional())
            self.operations += 1
            value = DATA
        self.depth -= 1
        return value

    def _binary(self, level: int) -> BodyValue:
        if level == len(LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.tokens.next.kind == "op" and self.tokens.next.text in LEVELS[level]:
            operator = self.tokens.take().text
            a, b = self._load(left), self._load(self._binary(level + 1))
            affine = a.affine.combined(operator, b.affine) if a.affine and b.affine else None
            if a.affine is None or b.affine is None:
                self._count(operator)
            left = BodyValue(affine)
        return left

    def _count(self, operator: str) -> None:
        if operator in ("/", "%"):
            self.divisions += 1
        else:
            self.operations += 1

    def _unary(self) -> BodyValue:
        tokens = self.tokens
        sign = tokens.accept("-", "+", "!", "~")
        if sign:
            self._deeper()
            value = self._load(self._unary())
            self.depth -= 1
            if sign.text == "+":
                return value
            return BodyValue(value.affine.scaled(-1) if value.affine and sign.text == "-" else None)
        if tokens.at("*", "&", "sizeof"):
            raise self._unreadable(f"`{tokens.next.text}` of something")
        if tokens.at("(") and tokens.following.text in TYPES | QUALIFIERS:
            return self._cast()
        return self._primary()

    def _cast(self) -> BodyValue:
        self.tokens.take()
        words = set()
        while self.tokens.next.kind == "name":
            words.add(self.tokens.take().text)
        self._expect(")")
        self._deeper()
        value = self._load(self._unary())
        self.depth -= 1
        return DATA if words & {"float", "double"} else value

    def _primary(self) -> BodyValue:
        token = self.tokens.take()
        if token.kind == "number":
            return BodyValue(Affine((), whole)) if (whole := _whole(token.text)) is not None else DATA
        if token.text == "(":
            value = self._conditional()
            self._expect(")")
            return value
        if token.kind != "name":
            raise self._unreadable(f"`{token.text or 'the end'}` is not understood here", token)
        if self.tokens.at("("):
            return self._call(token)
        if self.tokens.at("["):
            return self._element(token)
        if self.tokens.at(".", "->"):
            raise self._unreadable("a member of a structure", token)
        return self._name(token)

    def _name(self, token: BodyToken) -> BodyValue:
        name = token.text
        if name in self.locals:
            return self.locals[name]
        if name in self.names.opaque:
            raise self._unreadable(f"`{name}` is a macro that is not a number", token)
        if name in self.names.sizes:
            return BodyValue(Affine((), self.names.sizes[name]))
        if name in self.names.arrays:
            raise self._unreadable(f"`{name}` is an array, used without a subscript", token)
        return BodyValue(place=Place(name, (), 0))  # a scalar of the function around the nest

    def _element(self, token: BodyToken) -> BodyValue:
        if token.text not in self.names.arrays or token.text in self.locals:
            raise self._unreadable(f"`{token.text}` is not an array argument of the kernel", token)
        element_byte, extents = self.names.arrays[token.text]
        position, first = Affine((), 0), True
        for extent in (1, *extents):
            opening = self.tokens.next
            if not self.tokens.accept("["):
                raise self._unreadable(f"`{token.text}` has {len(extents) + 1} dimensions", token)
            inner = self._load(self._conditional()).affine
            self._expect("]")
            if inner is None:
                raise self._unreadable(f"a subscript of `{token.text}` is not affine in the loops' indices", opening)
            position = inner if first else position.scaled(extent).plus(inner)
            first = False
        if self.tokens.at("["):
            raise self._unreadable(f"`{token.text}` has {len(extents) + 1} dimensions", token)
        return BodyValue(place=Place(token.text, position.strides, position.offset), element_byte=element_byte)

    def _call(self, token: BodyToken) -> BodyValue:
        if token.text not in CHEAP | SLOW | MATHS:
            raise self._unreadable(f"what `{token.text}` does is not known", token)
        self.tokens.take()
        self._load(self._conditional())
        while self.tokens.accept(","):
            self._load(self._conditional())
        self._expect(")")
        if token.text in CHEAP:
            self.operations += 1
        elif token.text in SLOW:
            self.divisions += 1
        else:
            self.calls += 1
        return DATA

    # --- helpers --------------------------------------------------------------------------------------------------

    def _load(self, value: BodyValue) -> BodyValue:
        """The value as it is used: an element, or a scalar from outside, is read."""
        if value.place is None:
            return value
        self.accesses.setdefault(value.place, Use(value.element_byte)).read = True
        return DATA

    def _expect(self, text: str) -> None:
        if not self.tokens.accept(text):
            raise self._unreadable(f"expected `{text}`")

    def _unreadable(self, reason: str, token: BodyToken | None = None) -> UnreadableError:
        place = token or self.tokens.next
        return UnreadableError(reason, place.start, max(place.end, place.start + 1))


def _whole(text: str) -> int | None:
    digits = text.rstrip("uUlL")
    if digits[:2] in ("0x", "0X"):
        return int(digits, 16)
    return int(digits) if digits.isdigit() and len(digits) < 18 else None
