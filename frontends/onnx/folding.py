"""Arithmetic on constants, which is how exporters compute shapes: `Shape`, a slice of it, a product, and the `Reshape`
that takes it. Numbers are expressions over the parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product as every

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.onnx.operators.movement import pieces, reshape_target
from tunepass.frontends.onnx.site import Site
from tunepass.frontends.onnx.values import Constant, count
from tunepass.graphs.functions import expanded, permuted, reshaped, without
from tunepass.graphs.values import product, total, vector
from tunepass.ir.graph import Shape

KNOWN_LIMIT = 4_096  # elements
REAL = ("float16", "float32", "float64", "bfloat16")


def folded(site: Site) -> Constant | None:
    """The constant that an operator on constants makes; None where its numbers, or its view, are not followed."""
    values = [site.constant(k) for k in range(len(site.node.inputs)) if site.has(k)]
    operator = site.node.operator
    if not values or any(value is None for value in values):
        return None
    if operator in VIEWS:
        return VIEWS[operator](site)
    numbers = [value for value in values if value is not None]
    if any(value.weight and value.real and value.dims for value in numbers):
        return None  # arithmetic on weights is done when the model runs
    if operator in NUMBERS and all(value.items is not None for value in numbers):
        return NUMBERS[operator](site, numbers)
    return None


# Views: the numbers stay, or are those of weights that are known by their sizes alone


def _first(site: Site) -> Constant:
    value = site.constant(0)
    assert value is not None
    return value


def _same(site: Site) -> Constant:
    return _first(site)


def _dequantised(site: Site) -> Constant:
    value = _first(site)
    return Constant(value.root, value.dims, None, "float32", value.weight)


def _cast(site: Site) -> Constant:
    value = _first(site)
    kind = site.whole("to", 1)
    if value.items is None or kind in (1, 10, 11, 16):
        return Constant(value.root, value.dims, value.items, "float32" if value.items else value.element, value.weight)
    return Constant(value.root, value.dims, tuple(map(_whole, value.items)), "int64", value.weight)


def _whole(number: Expr) -> Expr:
    known = algebra.number(number)
    if known is not None:
        return algebra.lift(int(known)) if math.isfinite(known) else number
    return number if str(number.type) != "real" else algebra.apply("floor", number)


def _shaped(site: Site) -> Constant:
    value = _first(site)
    target = site.listed("shape", 1) or ()
    dims = vector(reshaped(value.dims, reshape_target(site, target)))
    size = count(value.dims)
    known = tuple(
        algebra.lift(size // max(_others(dims, k), 1)) if algebra.number(d) is None and size is not None else d
        for k, d in enumerate(dims)
    )
    return value.shaped(known)


def _others(dims: Shape, at: int) -> int:
    numbers = [algebra.number(size) for k, size in enumerate(dims) if k != at]
    return math.prod(int(n) for n in numbers if n is not None)


def _squeezed(site: Site) -> Constant:
    value = _first(site)
    axes = site.axes(1, len(value.dims))
    if axes is None:
        axes = tuple(k for k, size in enumerate(value.dims) if algebra.number(size) == 1)
    return value.shaped(vector(without(value.dims, tuple(map(algebra.lift, axes)), algebra.lift(0))))


def _unsqueezed(site: Site) -> Constant:
    value = _first(site)
    axes = site.listed("axes", 1) or ()
    return value.shaped(vector(expanded(value.dims, axes)))


def _transposed(site: Site) -> Constant | None:
    value = _first(site)
    order = site.sizes("perm", list(range(len(value.dims)))[::-1])
    dims = vector(permuted(value.dims, order))
    if value.items is None:
        return value.shaped(dims)
    places = _places([_int(size) for size in dims])
    back = {int(algebra.number(axis) or 0) % len(order): k for k, axis in enumerate(order)}
    strides = _strides([_int(size) for size in value.dims])
    items = tuple(
        value.items[sum(place[back[axis]] * stride for axis, stride in enumerate(strides))] for place in places
    )
    return Constant(value.root, dims, items, value.element, value.weight)


def _places(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    return list(every(*(range(size) for size in sizes)))


def _strides(sizes: Sequence[int]) -> list[int]:
    return [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]


def _int(size: Expr) -> int:
    number = algebra.number(size)
    return 0 if number is None else int(number)


VIEWS: Mapping[str, Callable[[Site], Constant | None]] = {
    **dict.fromkeys(("Identity", "Dropout", "QuantizeLinear"), _same),
    "DequantizeLinear": _dequantised,
    "Cast": _cast,
    "Reshape": _shaped,
    "Squeeze": _squeezed,
    "Unsqueeze": _unsqueezed,
    "Transpose": _transposed,
}


# Numbers


def _pointwise(operation: Callable[..., Expr | None], truth: bool = False) -> Callable[..., Constant | None]:
    """Element by element, of operands that are broadcast with each other."""

    def fold(site: Site, values: Sequence[Constant]) -> Constant | None:
        shapes = [[_int(size) for size in value.dims] for value in values]
        rank = max(map(len, shapes))
        padded = [[1] * (rank - len(shape)) + shape for shape in shapes]
        sizes = [max(column) if 0 not in column else 0 for column in zip(*padded)]
        if any(size not in (1, whole) for shape in padded for size, whole in zip(shape, sizes)):
            return None
        if math.prod(sizes) > KNOWN_LIMIT:
            return None
        real = any(value.real for value in values) and not truth
        items = []
        for place in _places(sizes):
            parts = []
            for value, shape in zip(values, padded):
                at = sum((0 if size == 1 else k) * stride for k, size, stride in zip(place, shape, _strides(shape)))
                assert value.items is not None
                parts.append(value.items[at])
            item = operation(real, *parts)
            if item is None:
                return None
            items.append(item)
        dims = tuple(algebra.lift(size) for size in sizes)
        return Constant("", dims, tuple(items), "float32" if real else "int64")

    return fold


def _divided(real: bool, left: Expr, right: Expr) -> Expr | None:
    below = algebra.number(right)
    if below == 0:
        return None
    if real:
        return algebra.div(left, right)
    a = algebra.number(left)
    if a is not None and below is not None:
        return algebra.lift(int(a / below) if abs(a) < 1 << 52 else int(a) // int(below))
    return algebra.floordiv(left, right)  # sizes are not negative


def _power(real: bool, base: Expr, exponent: Expr) -> Expr | None:
    a, b = algebra.number(base), algebra.number(exponent)
    if a is None or b is None or abs(b) > 64 or (a == 0 and b < 0) or (a < 0 and b != int(b)):
        return None
    return algebra.lift(a**b)


def _root(real: bool, value: Expr) -> Expr | None:
    number = algebra.number(value)
    return algebra.lift(math.sqrt(number)) if number is not None and number >= 0 else None


def _rounded(function: str) -> Callable[..., Expr | None]:
    def rounded(real: bool, value: Expr) -> Expr | None:
        number = algebra.number(value)
        if number is not None and math.isfinite(number):
            return algebra.lift(math.floor(number) if function == "floor" else math.ceil(number))
        return algebra.apply(function, value) if number is None else None

    return rounded


def _compared(op: str) -> Callable[..., Expr | None]:
    def compared(real: bool, left: Expr, right: Expr) -> Expr | None:
        if left is right and op in ("==", "<=", ">="):
            return algebra.lift(1)
        a, b = algebra.number(left), algebra.number(right)
        if a is not None and b is not None:
            return algebra.lift(int({"==": a == b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op]))
        if op == "==" and ((a is not None and a < 0) or (b is not None and b < 0)):
            return algebra.lift(0)  # a size that parameters decide is not negative
        return algebra.where(algebra.compare(left, op, right), 1, 0)

    return compared


def _selected(real: bool, test: Expr, then: Expr, other: Expr) -> Expr:
    known = algebra.number(test)
    if known is not None:
        return then if known else other
    return algebra.where(algebra.compare(test, "!=", 0), then, other)


def _joined(site: Site, values: Sequence[Constant]) -> Constant | None:
    if any(len(value.dims) != 1 for value in values):
        return None
    items = tuple(item for value in values for item in value.items or ())
    real = any(value.real for value in values)
    return Constant("", (algebra.lift(len(items)),), items, "float32" if real else "int64")


def _gathered(site: Site, values: Sequence[Constant]) -> Constant | None:
    data, indices = values[0], values[1]
    if len(data.dims) != 1 or len(indices.dims) > 1 or data.items is None:
        return None
    found = []
    for item in indices.items or ():
        at = algebra.number(item)
        if at is None or not -len(data.items) <= at < len(data.items):
            return None
        found.append(data.items[int(at)])
    return Constant("", indices.dims, tuple(found), data.element)


def _cut(site: Site, values: Sequence[Constant]) -> Constant | None:
    data = values[0]
    if len(data.dims) != 1 or data.items is None:
        return None
    items = data.items
    for _, begin, end, step in pieces(site):
        ends = [None if place is None else algebra.number(place) for place in (begin, end)]
        if (begin is not None and ends[0] is None) or (end is not None and ends[1] is None):
            return None
        first, last = (None if place is None else int(place) for place in ends)
        items = items[first:last:step]
    return Constant("", (algebra.lift(len(items)),), items, data.element)


def _reduced(combine: Callable[[Sequence[Expr]], Expr]) -> Callable[..., Constant | None]:
    def fold(site: Site, values: Sequence[Constant]) -> Constant | None:
        data = values[0]
        if len(data.dims) != 1 or not data.items:
            return None
        site.axes(1, 1)
        dims = (algebra.lift(1),) if site.whole("keepdims", 1) else ()
        return Constant("", dims, (combine(data.items),), data.element)

    return fold


def _ranged(site: Site, values: Sequence[Constant]) -> Constant | None:
    ends = [algebra.number(value.items[0]) for value in values if value.items]
    if len(ends) != 3 or None in ends or ends[2] == 0:
        return None
    begin, end, step = (float(v) for v in ends if v is not None)
    length = max(math.ceil((end - begin) / step), 0)
    if length > KNOWN_LIMIT:
        return None
    real = any(value.real for value in values)
    items = tuple(algebra.lift(v if real else int(v)) for v in (begin + step * k for k in range(length)))
    return Constant("", (algebra.lift(length),), items, "float32" if real else "int64")


def _expanded(site: Site, values: Sequence[Constant]) -> Constant | None:
    data = values[0]
    target = values[1].items or ()
    if not data.items or len(data.items) != 1 or (count(target) or KNOWN_LIMIT + 1) > KNOWN_LIMIT:
        return None
    return Constant("", target, data.items * (count(target) or 0), data.element)


NUMBERS: Mapping[str, Callable[..., Constant | None]] = {
    "Add": _pointwise(lambda real, a, b: algebra.add(a, b)),
    "Sub": _pointwise(lambda real, a, b: algebra.sub(a, b)),
    "Mul": _pointwise(lambda real, a, b: algebra.mul(a, b)),
    "Div": _pointwise(_divided),
    "Mod": _pointwise(lambda real, a, b: None if algebra.number(b) in (None, 0) else algebra.mod(a, b)),
    "Pow": _pointwise(_power),
    "Sqrt": _pointwise(_root),
    "Neg": _pointwise(lambda real, a: algebra.sub(0, a)),
    "Floor": _pointwise(_rounded("floor")),
    "Ceil": _pointwise(_rounded("ceil")),
    "Min": _pointwise(lambda real, *items: algebra.minimum(*items)),
    "Max": _pointwise(lambda real, *items: algebra.maximum(*items)),
    "Equal": _pointwise(_compared("=="), truth=True),
    "Less": _pointwise(_compared("<"), truth=True),
    "LessOrEqual": _pointwise(_compared("<="), truth=True),
    "Greater": _pointwise(_compared(">"), truth=True),
    "GreaterOrEqual": _pointwise(_compared(">="), truth=True),
    "Not": _pointwise(
        lambda real, a: algebra.lift(int(not algebra.number(a))) if algebra.number(a) is not None else None
    ),
    "Where": _pointwise(_selected),
    "Concat": _joined,
    "Gather": _gathered,
    "Slice": _cut,
    "ReduceProd": _reduced(product),
    "ReduceSum": _reduced(total),
    "ReduceMax": _reduced(lambda items: algebra.maximum(*items)),
    "ReduceMin": _reduced(lambda items: algebra.minimum(*items)),
    "Range": _ranged,
    "Expand": _expanded,
}
