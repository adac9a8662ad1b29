"""The functions that formulas of operators may call. Shapes are tuples of sizes; `layout` is "last" (N, ..., C) or
"first" (N, C, ...): where the channels stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tunepass.expr import algebra
from tunepass.expr.algebra import compare, floordiv, where
from tunepass.expr.nodes import Expr
from tunepass.graphs.einsum import einsum_shape, einsum_size
from tunepass.graphs.values import GraphError, Value, elementwise, product, scalar, told, total, vector, whole
from tunepass.graphs.windows import pairs, transposed, window
from tunepass.ir.graph import Shape


def channels(shape: Value, layout: Value) -> Value:
    sizes = vector(shape, "a shape")
    _at_least(sizes, 2, "a batch and channels")
    return sizes[1] if layout == "first" else sizes[-1]


def spatial(shape: Value, layout: Value) -> Value:
    """The sizes between or after: neither the batch nor the channels."""
    sizes = vector(shape, "a shape")
    _at_least(sizes, 2, "a batch and channels")
    return sizes[2:] if layout == "first" else sizes[1:-1]


def image(batch: Value, count: Value, sizes: Value, layout: Value) -> Value:
    """The shape of `count` channels."""
    n, c, inner = scalar(batch), scalar(count), vector(sizes, "sizes")
    return (n, c, *inner) if layout == "first" else (n, *inner, c)


def broadcast(*shapes: Value) -> Value:
    """The shape that NumPy's rules give several; sizes that parameters decide are taken to fit."""
    read = [vector(shape, "a shape") for shape in shapes]
    rank = max((len(shape) for shape in read), default=0)
    padded = [(algebra.lift(1),) * (rank - len(shape)) + shape for shape in read]
    return tuple(_meet(sizes, read) for sizes in zip(*padded))


def _meet(sizes: tuple[Expr, ...], shapes: list[Shape]) -> Expr:
    known = {int(n) for n in map(algebra.number, sizes) if n is not None} - {1}
    unknown = [size for size in sizes if algebra.number(size) is None]
    if len(known) > 1:
        raise GraphError(f"the shapes {' and '.join(told(shape) for shape in shapes)} do not go together")
    if known:
        return algebra.lift(known.pop())
    if not unknown:
        return algebra.lift(1)
    return unknown[0] if all(size == unknown[0] for size in unknown) else algebra.maximum(*unknown)


def joined(shapes: Value, axis: Value) -> Value:
    """Concatenation: the sizes along the axis add up, the others are the first one's."""
    read = [vector(shape, "a shape") for shape in _several(shapes)]
    at = whole(axis, "an axis")
    first = read[0]
    if any(len(shape) != len(first) for shape in read) or not -len(first) <= at < len(first):
        raise GraphError(f"the shapes {', '.join(told(shape) for shape in read)} cannot be joined along axis {at}")
    at %= len(first)
    for shape in read[1:]:
        for k, (a, b) in enumerate(zip(first, shape)):
            if k != at and None not in (algebra.number(a), algebra.number(b)) and a != b:
                raise GraphError(f"the shapes {told(first)} and {told(shape)} differ besides along axis {at}")
    return (*first[:at], total([shape[at] for shape in read]), *first[at + 1 :])


def permuted(shape: Value, order: Value) -> Value:
    sizes = vector(shape, "a shape")
    at = [whole(axis, "an axis") % max(len(sizes), 1) for axis in vector(order, "axes")]
    if sorted(at) != list(range(len(sizes))):
        raise GraphError(f"{told(order)} is no order of the {len(sizes)} axes of {told(shape)}")
    return tuple(sizes[axis] for axis in at)


def reshaped(shape: Value, target: Value) -> Value:
    """The target, whose one -1 is what is left of the elements. GraphError where known numbers of elements differ."""
    sizes, targets = vector(shape, "a shape"), vector(target, "a shape")
    count = product(sizes)
    free = [k for k, size in enumerate(targets) if algebra.number(size) == -1]
    if len(free) > 1:
        raise GraphError(f"{told(target)} leaves more than one size open")
    rest = product([size for k, size in enumerate(targets) if k not in free])
    left, right = algebra.number(count), algebra.number(rest)
    if left is not None and right is not None and (left % right if free and right else left != right):
        raise GraphError(f"{told(shape)} has {left} elements, which do not make {told(target)}")
    if not free:
        return targets
    remaining, others = list(sizes), []
    for size in (size for k, size in enumerate(targets) if k not in free):
        at = next((k for k, other in enumerate(remaining) if other is size), None)
        if at is None:
            others.append(size)
        else:
            del remaining[at]  # sizes that stay cancel: (n, c, h, w) to (n, -1) is (n, c * h * w)
    open_size = floordiv(product(remaining), product(others)) if others else product(remaining)
    return tuple(open_size if k in free else size for k, size in enumerate(targets))


def without(shape: Value, axes: Value, keep: Value) -> Value:
    """The shape after a reduction over the axes; they stay, of size 1, where `keep`."""
    sizes = vector(shape, "a shape")
    at = {whole(axis, "an axis") % max(len(sizes), 1) for axis in vector(axes, "axes")}
    keeps_axes = algebra.number(scalar(keep))
    if keeps_axes is None:
        raise GraphError("whether reduced axes stay cannot be a parameter's choice: shapes differ in rank")
    one = algebra.lift(1)
    return tuple(one if k in at else size for k, size in enumerate(sizes) if keeps_axes or k not in at)


def with_axis(shape: Value, axis: Value, size: Value) -> Value:
    """The shape with another size along the axis."""
    sizes, at = vector(shape, "a shape"), whole(axis, "an axis")
    if not -len(sizes) <= at < len(sizes):
        raise GraphError(f"{told(shape)} has no axis {at}")
    at %= len(sizes)
    return (*sizes[:at], scalar(size), *sizes[at + 1 :])


def expanded(shape: Value, axes: Value) -> Value:
    """The shape with axes of size 1 put in, at their places in the result."""
    sizes = list(vector(shape, "a shape"))
    at = [whole(axis, "an axis") for axis in vector(axes, "axes")]
    rank = len(sizes) + len(at)
    for axis in sorted(a % rank for a in at):
        sizes.insert(axis, algebra.lift(1))
    return tuple(sizes)


def picked(shape: Value, axes: Value) -> Value:
    """The sizes along the axes."""
    sizes = vector(shape, "a shape")
    at = [whole(axis, "an axis") for axis in vector(axes, "axes")]
    if any(not -len(sizes) <= axis < len(sizes) for axis in at):
        raise GraphError(f"{told(shape)} has no axes {told(axes)}")
    return tuple(sizes[axis] for axis in at)


def cut(shape: Value, axis: Value) -> Value:
    """The shape without the axis."""
    picked(shape, (scalar(axis),))
    return without(shape, (scalar(axis),), algebra.lift(0))


def expanded_with(shape: Value, axis: Value, size: Value) -> Value:
    """The shape with an axis of that size put in, at its place in the result."""
    return with_axis(expanded(shape, (scalar(axis),)), axis, size)


def grown(sizes: Value, *padding: Value) -> Value:
    """The sizes with padding at both ends; with a -1 before the padding, cropped by it."""
    read = vector(sizes, "sizes")
    sign, amounts = (padding[0], padding[1]) if len(padding) == 2 else (algebra.lift(1), padding[0])
    ends = pairs(amounts, len(read))
    return tuple(algebra.add(size, algebra.mul(scalar(sign), algebra.add(*both))) for size, both in zip(read, ends))


def repeat(value: Value, count: Value) -> Value:
    return (value,) * whole(count, "a number of repetitions")


def rank(values: Value) -> Value:
    """How many there are: a shape's axes, or shapes."""
    if not isinstance(values, tuple):
        raise GraphError(f"several values were expected, not {told(values)}")
    return algebra.lift(len(values))


def sliced(size: Value, begin: Value, end: Value, step: Value) -> Value:
    """How many elements `[begin:end:step]` takes of `size`; a negative end counts from the size."""
    n, a, b, s = (scalar(v) for v in (size, begin, end, step))
    first = where(compare(a, "<", 0), algebra.maximum(algebra.add(n, a), 0), algebra.minimum(a, n))
    last = where(compare(b, "<", 0), algebra.maximum(algebra.add(n, b), 0), algebra.minimum(b, n))
    return algebra.maximum(algebra.ceildiv(algebra.sub(last, first), s), 0)


def _several(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple) or not value:
        raise GraphError(f"several shapes are needed, not {told(value)}")
    return value


def _at_least(sizes: Shape, count: int, subject: str) -> None:
    if len(sizes) < count:
        raise GraphError(f"the shape {told(sizes)} has no {subject}")


def _number(function: Callable[..., Expr]) -> Callable[..., Value]:
    """A function of numbers, element by element where two are given."""

    def applied(*values: Value) -> Value:
        if len(values) == 2:
            return elementwise(function, values[0], values[1])
        return function(*(scalar(value) for value in values))

    return applied


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "prod": lambda v: product(vector(v)),
    "total": lambda v: total(vector(v)),
    "min": _number(algebra.minimum),
    "max": _number(algebra.maximum),
    "ceildiv": _number(algebra.ceildiv),
    "floor": lambda v: elementwise(lambda a, _: _rounded("floor", a), v, algebra.lift(0)),
    "rank": rank,
    "repeat": repeat,
    "picked": picked,
    "cut": cut,
    "grown": grown,
    "channels": channels,
    "spatial": spatial,
    "image": image,
    "window": window,
    "transposed": transposed,
    "broadcast": broadcast,
    "joined": joined,
    "permuted": permuted,
    "reshaped": reshaped,
    "without": without,
    "with_axis": with_axis,
    "expanded": expanded,
    "expanded_with": expanded_with,
    "sliced": sliced,
    "einsum_shape": einsum_shape,
    "einsum_size": einsum_size,
}


def _rounded(function: str, value: algebra.ExprLike) -> Expr:
    number = algebra.number(value)
    return algebra.lift(int(number // 1)) if number is not None else algebra.apply(function, value)
