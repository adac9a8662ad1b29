"""Values of C's expressions over symbols: what a compiler could fold if it knew the parameters.

None is the value of what only the run knows. Whole numbers are taken as not negative: `/` of them rounds down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import TunepassError
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import BoolType, CategoryType, Constant, Expr, OrderType, RealType, Type
from tunepass.expr.nodes import Name as Symbol
from tunepass.frontends.cfamily.constants.literals import arithmetic, literal
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Items,
    Name,
    Number,
    SizeOf,
    Text,
    Unary,
)

REAL = re.compile(r"(?P<digits>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFlLhH]*\Z")
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
REALS = frozenset({"float", "double", "half", "long double", "_Float16", "__half"})
BYTES = {"char": 1, "bool": 1, "short": 2, "half": 2, "int": 4, "float": 4, "unsigned": 4, "double": 8, "long": 8,
         "size_t": 8, "float2": 8, "float4": 16, "double2": 16, "int4": 16, "uchar": 1, "ushort": 2, "uint": 4,
         "ulong": 8}  # fmt: skip
FUNCTIONS = {"min": "min", "max": "max", "abs": "abs", "fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max",
             "sqrt": "sqrt", "sqrtf": "sqrt", "log2": "log2", "log2f": "log2", "log": "log", "exp": "exp",
             "ceil": "ceil", "floor": "floor"}  # fmt: skip
DEPTH_LIMIT = 12  # of functions that call each other

Body = Callable[[str, int], tuple[Sequence[str], Expression] | None]


def number_of(text: str) -> int | float | None:
    """The value of a literal."""
    whole = literal(text)
    match = REAL.match(text.replace("'", "")) if whole is None else None
    return float(match["digits"]) if match else whole


@dataclass(slots=True)
class Values:
    """`symbols` are parameters by name; `known` are constants, enumerators and locals with a value.

    `body` gives the parameters' names and the returned expression of a function that only returns one, by name and
    number of arguments; None where there is none.
    """

    symbols: Mapping[str, Type] = field(default_factory=dict)
    known: dict[str, Expr] = field(default_factory=dict)
    body: Body | None = None
    depth: int = 0

    def number(self, e: Expression | None) -> Expr | None:
        """A number's value; conditions have none."""
        value = self.value(e)
        return None if value is None or isinstance(value.type, (BoolType, CategoryType, OrderType)) else value

    def condition(self, e: Expression | None) -> Expr | None:
        """As a Boolean: a number is compared with 0."""
        value = self.value(e)
        if value is None or isinstance(value.type, (CategoryType, OrderType)):
            return None
        return value if isinstance(value.type, BoolType) else algebra.compare(value, "!=", 0)

    def value(self, e: Expression | None) -> Expr | None:
        """None too where a value is too large, or a division by zero."""
        try:
            return None if e is None else self._value(e)
        except (TunepassError, ArithmeticError, ValueError):
            return None

    def _value(self, e: Expression) -> Expr | None:
        match e:
            case Number():
                literal = number_of(e.token.text)
                return None if literal is None else typing.constant(literal)
            case Name():
                return self._name(e.text)
            case Text():
                text = e.token.text
                return typing.constant(ord(text[1])) if len(text) == 3 and text[0] == "'" else None
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Conditional():
                return self._conditional(e)
            case Cast():
                return None if e.pointer else _converted(e.type, self._value(e.operand))
            case Items(parts=(only,)):
                return self._value(only)
            case SizeOf():
                size = BYTES.get(e.text.removeprefix("sizeof").strip(" ()"))
                return None if size is None else typing.constant(size)
            case Call(function=Name() as function):
                return self._call(function.text, e.arguments)
        return None

    def _name(self, text: str) -> Expr | None:
        if text in self.known:
            return self.known[text]
        if text in self.symbols:
            return Symbol(text, self.symbols[text])
        return typing.constant(text == "true") if text in ("true", "false") else None

    def _unary(self, e: Unary) -> Expr | None:
        if e.op.at("!"):
            condition = self.condition(e.operand)
            if isinstance(condition, Constant):
                return typing.constant(not condition.value)
            return None if condition is None else typing.unary("not", condition)
        value = self._value(e.operand) if e.op.at("-", "+", "~") else None
        if value is None or e.op.at("+"):
            return value
        known = _whole(value)
        if e.op.at("~"):
            return None if known is None else typing.constant(~known)
        plain = algebra.number(value)
        return typing.unary("-", value) if plain is None else typing.constant(-plain)

    def _binary(self, e: Binary) -> Expr | None:
        if e.op in ("&&", "||"):
            return self._logical(e)
        if e.op in COMPARISONS:
            return self._compared(e)
        left, right = self._value(e.left), self._value(e.right)
        if left is None or right is None:
            return None
        a, b = _whole(left), _whole(right)
        if a is not None and b is not None and e.op != ",":
            folded = arithmetic(e.op, a, b)
            return None if folded is None else typing.constant(folded)
        if e.op in ("+", "-", "*", "<<", ">>"):
            return typing.binary(e.op, left, right)
        if e.op == "%":
            return algebra.mod(left, right)
        if e.op == "/":
            real = isinstance(left.type, RealType) or isinstance(right.type, RealType)
            return algebra.div(left, right) if real else algebra.floordiv(left, right)
        return None

    def _logical(self, e: Binary) -> Expr | None:
        """One side alone may settle it."""
        left, right = self.condition(e.left), self.condition(e.right)
        settles = e.op == "||"
        for side, other in ((left, right), (right, left)):
            if isinstance(side, Constant):
                return side if bool(side.value) == settles else other
        if left is None or right is None:
            return None
        return typing.logical("or" if settles else "and", (left, right))

    def _compared(self, e: Binary) -> Expr | None:
        left, right = self._value(e.left), self._value(e.right)
        for side, other in ((left, e.right), (right, e.left)):
            if side is not None and isinstance(side.type, CategoryType):
                choice = _spelled(other)
                if choice not in side.type.values:
                    return None
                return typing.compare((side, typing.constant(choice)), (e.op,))
        return None if left is None or right is None else algebra.compare(left, e.op, right)

    def _conditional(self, e: Conditional) -> Expr | None:
        condition = self.condition(e.condition)
        if condition is None:
            return None
        then, other = self._value(e.then), self._value(e.other)
        if isinstance(condition, Constant):
            return then if condition.value else other
        return None if then is None or other is None else algebra.where(condition, then, other)

    def _call(self, name: str, given: Sequence[Expression]) -> Expr | None:
        values = [self._value(argument) for argument in given]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        found = self.body(name, len(known)) if self.body is not None and self.depth < DEPTH_LIMIT else None
        if found is not None:
            inner = Values(self.symbols, {**self.known, **dict(zip(found[0], known))}, self.body, self.depth + 1)
            return inner.value(found[1])
        if len(known) == 1 and (name in BYTES or name in REALS):
            return _converted(name, known[0])
        if name not in FUNCTIONS or not known:
            return None
        function = FUNCTIONS[name]
        folded = {"min": algebra.minimum, "max": algebra.maximum}.get(function)
        return folded(*known) if folded is not None else algebra.apply(function, *known)


def _whole(value: Expr) -> int | None:
    known = algebra.number(value)
    return known if isinstance(known, int) else None


def _converted(kind: str, value: Expr | None) -> Expr | None:
    """To the type of that name: whole numbers become real; real ones only become whole where they are known."""
    if value is None or isinstance(value.type, (CategoryType, OrderType)):
        return None
    real = isinstance(value.type, RealType)
    if kind in REALS:
        return value if real else algebra.mul(value, 1.0)
    if not real:
        return value
    known = algebra.number(value)
    return typing.constant(int(known)) if known is not None and kind in BYTES else None


def _spelled(e: Expression) -> str:
    """The source's own word for a value: a name, or the macro that made it."""
    match e:
        case Name():
            return e.text
        case Number() | Text():
            return e.token.macro or e.token.text.strip('"')
        case Cast():
            return _spelled(e.operand)
    return ""
