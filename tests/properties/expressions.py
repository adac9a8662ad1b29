"""Random typed expressions over a fixed set of names, with their domains and columns. Shared by the laws."""

from __future__ import annotations

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

from tunepass.diagnostics import ExpressionError
from tunepass.expr import python_eval, typing
from tunepass.expr.domain import Domain, Interval, number
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, Expr, OrderType, RealType, Type

NAMES: dict[str, Type] = {
    "i": INTEGER,
    "j": INTEGER,
    "k": INTEGER,
    "x": REAL,
    "y": REAL,
    "p": BOOL,
    "s": CategoryType(("static", "dynamic", "guided")),
    "t": CategoryType(("guided", "auto", "static")),
    "o": OrderType((0, 1, 2, 3)),
    "w": OrderType(("i", "j", "k")),
}
BOX: dict[str, Domain] = {
    "i": Interval(-9, 9),
    "j": (1, 2, 4, 8, 16, 64),
    "k": Interval(-(2**63), 2**63 - 1),
    "x": Interval(-4.0, 4.0),
    "y": (0.0, 0.5, 1.0, 2.5, 1e17),
    "p": (False, True),
    "s": ("static", "dynamic", "guided"),
    "t": ("guided", "auto", "static"),
}
EDGES = [-(2**63), 2**63 - 1, 2**62, -(2**31), 2**31, 2**32 + 1, 2**53 + 1, 3037000500, 0, -1, 1]


def columns(seed: int, n: int) -> dict[str, NDArray[np.generic]]:
    """n configurations within BOX, with the awkward integers among those of `k`."""
    rng = np.random.default_rng(seed)
    found: dict[str, NDArray[np.generic]] = {
        "i": rng.integers(-9, 10, n),
        "k": np.where(rng.random(n) < 0.5, rng.choice(EDGES, n), rng.integers(-100, 100, n)),
        "x": np.where(rng.random(n) < 0.3, rng.integers(-4, 5, n).astype(float), rng.uniform(-4, 4, n)),
        "o": np.argsort(rng.random((n, 4)), axis=1),
        "w": np.argsort(rng.random((n, 3)), axis=1),
    }
    for name in ("j", "y", "p", "s", "t"):
        domain = BOX[name]
        assert isinstance(domain, tuple)
        kind = NAMES[name]
        values = np.array([number(v, kind) for v in domain])
        found[name] = values[rng.integers(0, len(values), n)].astype(bool if kind == BOOL else values.dtype)
    return found


def row(found: dict[str, NDArray[np.generic]], at: int) -> dict[str, python_eval.Scalar | tuple[int | str, ...]]:
    """One configuration of `columns` as plain Python values."""
    result: dict[str, python_eval.Scalar | tuple[int | str, ...]] = {}
    for name, column in found.items():
        kind, value = NAMES[name], column[at].tolist()
        if isinstance(kind, OrderType):
            result[name] = tuple(kind.items[code] for code in value)
        else:
            result[name] = kind.values[value] if isinstance(kind, CategoryType) else value
    return result


def _name(text: str) -> Expr:
    return typing.name(text, NAMES)


def _leaves(kind: Type) -> st.SearchStrategy[Expr]:
    if kind == BOOL:
        return st.sampled_from([_name("p"), typing.constant(True), typing.constant(False)])
    if kind == INTEGER:
        integers = st.one_of(st.integers(-4, 9), st.sampled_from(EDGES)).map(typing.constant)
        return st.one_of(st.sampled_from(["i", "j", "k", "i", "j"]).map(_name), integers)
    if isinstance(kind, CategoryType):
        return st.sampled_from(["s", "t"]).map(_name)
    reals = st.one_of(st.sampled_from([0.0, -0.0, 0.5, -1.5, 3.0, 1e300, 1e-300]), st.floats(-100, 100))
    return st.one_of(st.sampled_from(["x", "y"]).map(_name), reals.map(typing.constant))


@st.composite
def expressions(draw: st.DrawFn, kind: Type | None = None, depth: int = 4, rounded: bool = False) -> Expr:
    """An expression of type `kind` (any if None), as the parser could give. `rounded` admits exp, log and real powers,
    which readers may round differently in the last place."""
    wanted = draw(st.sampled_from([BOOL, INTEGER, REAL])) if kind is None else kind
    e = draw(_typed(wanted, depth, rounded))
    try:
        python_eval.check_constants(e)
    except ExpressionError:
        assume(False)
    return e


def _typed(kind: Type, depth: int, rounded: bool) -> st.SearchStrategy[Expr]:
    if depth == 0:
        return _leaves(kind)
    build = _boolean if kind == BOOL else _integer if kind == INTEGER else _real if kind == REAL else _string
    return st.one_of(_leaves(kind), build(depth - 1, rounded), build(depth - 1, rounded), build(depth - 1, rounded))


@st.composite
def _number(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    return draw(_typed(draw(st.sampled_from([INTEGER, INTEGER, REAL, BOOL])), depth, rounded))


@st.composite
def _string(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    if draw(st.booleans()):
        return typing.index(_name("w"), typing.constant(draw(st.integers(0, 2))))
    category = CategoryType(("static",))
    parts = [draw(_typed(category, depth, rounded)) for _ in range(2)]
    return typing.conditional(draw(_typed(BOOL, depth, rounded)), parts[0], parts[1])


@st.composite
def _boolean(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    what = draw(st.sampled_from(["compare", "compare", "logical", "logical", "not", "in", "strings", "if", "ispow2"]))
    if what == "compare":
        ops = draw(st.lists(st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), min_size=1, max_size=2))
        return typing.compare([draw(_number(depth, rounded)) for _ in range(len(ops) + 1)], ops)
    if what == "logical":
        parts = [draw(_typed(BOOL, depth, rounded)) for _ in range(draw(st.integers(2, 3)))]
        return typing.logical(draw(st.sampled_from(["and", "or"])), parts)
    if what == "not":
        return typing.unary("not", draw(_typed(BOOL, depth, rounded)))
    if what == "in":
        choices = [draw(_number(depth // 2, rounded)) for _ in range(draw(st.integers(1, 3)))]
        return typing.member(draw(_number(depth, rounded)), choices)
    if what == "if":
        a, b, c = (draw(_typed(BOOL, depth, rounded)) for _ in range(3))
        return typing.conditional(a, b, c)
    if what == "ispow2":
        return typing.call("ispow2", [draw(_typed(INTEGER, depth, rounded))])
    left = draw(_typed(CategoryType(("static",)), depth, rounded))
    assert isinstance(left.type, CategoryType)
    constant = st.sampled_from(left.type.values).map(typing.constant)
    right = draw(st.one_of(constant, _leaves(left.type)))
    if draw(st.booleans()):
        return typing.member(left, [right])
    return typing.compare([left, right], [draw(st.sampled_from(["==", "!="]))])


@st.composite
def _integer(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    what = draw(st.sampled_from(["binary", "binary", "binary", "call", "two", "-", "if", "round", "order", "abs"]))
    whole = _typed(INTEGER, depth, rounded)
    if what == "binary":
        op = draw(st.sampled_from(["+", "-", "*", "//", "%", "**", "<<", ">>"]))
        return typing.binary(op, draw(whole), draw(st.one_of(whole, _typed(BOOL, depth, rounded))))
    if what == "call":
        many = [draw(whole) for _ in range(draw(st.integers(1, 3)))]
        return typing.call(draw(st.sampled_from(["min", "max"])), many)
    if what == "two":
        return typing.call(draw(st.sampled_from(["ceildiv", "gcd", "lcm"])), [draw(whole), draw(whole)])
    if what == "-":
        return typing.unary("-", draw(whole))
    if what == "abs":
        return typing.call("abs", [draw(whole)])
    if what == "if":
        return typing.conditional(draw(_typed(BOOL, depth, rounded)), draw(whole), draw(whole))
    if what == "round":
        kind = draw(st.sampled_from(["floor", "ceil", "round"]))
        return typing.call(kind, [draw(_number(depth, rounded))])
    return draw(_order(depth, rounded))


@st.composite
def _order(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    which = draw(st.integers(0, 3))
    at = typing.constant(draw(st.integers(0, 3)))
    if which == 0:
        return typing.index(_name("o"), at)
    if which == 1:
        return typing.call("pos", [_name("o"), at])
    if which == 2:
        return typing.call("pos", [_name("w"), typing.constant(draw(st.sampled_from(["i", "j", "k"])))])
    position = draw(_typed(INTEGER, depth, rounded))
    try:
        if draw(st.booleans()):
            return typing.index(_name("o"), position)
        return typing.call("pos", [_name("o"), position])
    except ExpressionError:  # a constant outside
        return typing.index(_name("o"), at)


@st.composite
def _real(draw: st.DrawFn, depth: int, rounded: bool) -> Expr:
    what = draw(st.sampled_from(["binary", "binary", "/", "sqrt", "minmax", "-", "abs", "if", "ceildiv", "rounded"]))
    real, any_number = _typed(REAL, depth, rounded), _number(depth, rounded)
    if what == "rounded" and rounded:
        if draw(st.booleans()):
            return typing.binary("**", draw(real), draw(any_number))
        return typing.call(draw(st.sampled_from(["exp", "log", "log2"])), [draw(any_number)])
    if what in ("binary", "rounded"):
        op = draw(st.sampled_from(["+", "-", "*", "//", "%"]))
        pair = [draw(real), draw(any_number)]
        if draw(st.booleans()):
            pair.reverse()
        return typing.binary(op, pair[0], pair[1])
    if what == "/":
        return typing.binary("/", draw(any_number), draw(any_number))
    if what == "sqrt":
        return typing.call("sqrt", [draw(any_number)])
    if what in ("minmax", "ceildiv"):
        function = "ceildiv" if what == "ceildiv" else draw(st.sampled_from(["min", "max"]))
        return typing.call(function, [draw(real), draw(any_number)])
    if what == "-":
        return typing.unary("-", draw(real))
    if what == "abs":
        return typing.call("abs", [draw(real)])
    e = typing.conditional(draw(_typed(BOOL, depth, rounded)), draw(real), draw(any_number))
    assert isinstance(e.type, RealType)
    return e
