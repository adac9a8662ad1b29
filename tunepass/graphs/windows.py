"""How large what slides over an image leaves it: convolutions, poolings and their transposes.

    i, o    size of the input and of the output along one axis
    k, s, d size of the window, its stride, its dilation; a window reaches over d (k - 1) + 1
    p       padding, at the beginning and at the end; op: what a transpose adds at the end

`padded` is PyTorch's and ONNX's rule and Keras' "valid"; "same" and "causal" are Keras' and ONNX's SAME_UPPER.
"""

from __future__ import annotations

from tunepass.expr import typing
from tunepass.expr.algebra import add, ceildiv, compare, floordiv, lift, maximum, mul, number, sub, where
from tunepass.expr.nodes import CategoryType, Expr
from tunepass.graphs.values import GraphError, Value, scalar, spread, told

WORDS = ("valid", "same", "causal")


def reach(k: Expr, d: Expr) -> Expr:
    return add(mul(d, sub(k, 1)), 1)


def window(i: Value, k: Value, s: Value, d: Value, padding: Value, ceil: Value) -> Value:
    """The output's size along each axis of `i`.

    Padding is a word, a number, one for each axis, or a pair (begin, end) for each. `ceil` true: a last window that the
    input does not fill counts, unless it begins in the padding at the end (PyTorch's `ceil_mode`).
    """
    sizes = spread(i, len(i)) if isinstance(i, tuple) else (scalar(i),)
    _checked(k, s, d, len(sizes))
    axes = zip(sizes, *(spread(v, len(sizes)) for v in (k, s, d)))
    if isinstance(padding, Expr) and isinstance(padding.type, CategoryType):
        return tuple(_chosen(padding, axis) for axis in axes)
    if isinstance(padding, str) and padding != "valid":
        return tuple(_worded(padding, axis) for axis in axes)
    numbers = lift(0) if padding == "valid" else padding
    up = scalar(ceil, "ceil")
    return tuple(_padded(axis, pad, up) for axis, pad in zip(axes, pairs(numbers, len(sizes))))


Axis = tuple[Expr, Expr, Expr, Expr]


def _checked(k: Value, s: Value, d: Value, rank: int) -> None:
    """Windows are of at least one element, and move on."""
    for subject, value in (("the size of a window", k), ("the stride", s), ("the dilation", d)):
        for size in spread(value, rank):
            known = number(size)
            if known is not None and known < 1:
                raise GraphError(f"{subject} has to be at least 1, not {known}")


def _worded(padding: str, axis: Axis) -> Expr:
    i, k, s, d = axis
    if padding == "valid":
        return floordiv(add(sub(i, reach(k, d)), s), s)
    if padding in ("same", "causal"):
        return ceildiv(i, s)
    raise GraphError(f"there is no padding {padding!r}", hint=f"known: {', '.join(WORDS)}, or numbers")


def _chosen(padding: Expr, axis: Axis) -> Expr:
    """The word is a parameter's."""
    assert isinstance(padding.type, CategoryType)
    *others, last = padding.type.values
    size = _worded(last, axis)
    for word in reversed(others):
        same = typing.compare((padding, typing.constant(word)), ("==",))
        size = where(same, _worded(word, axis), size)
    return size


def _padded(axis: Axis, padding: tuple[Expr, Expr], ceil: Expr) -> Expr:
    i, k, s, d = axis
    begin, end = padding
    room = sub(add(i, begin, end), reach(k, d))
    down = add(floordiv(room, s), 1)
    up = add(ceildiv(room, s), 1)
    inside = compare(mul(sub(up, 1), s), "<", add(i, begin))  # the last window begins before the padding at the end
    return where(compare(ceil, "!=", 0), where(inside, up, sub(up, 1)), down)


def pairs(padding: Value, rank: int) -> tuple[tuple[Expr, Expr], ...]:
    """Begin and end of each axis."""
    if isinstance(padding, tuple) and any(isinstance(item, tuple) for item in padding):
        both = tuple(spread(item, 2, "padding at the beginning and at the end") for item in padding)
        if len(both) != rank:
            raise GraphError(f"padding of {rank} axes is needed, {told(padding)} is of {len(both)}")
        return tuple((begin, end) for begin, end in both)
    return tuple((p, p) for p in spread(padding, rank, "padding"))


def transposed(i: Value, k: Value, s: Value, d: Value, padding: Value, extra: Value, form: Value) -> Value:
    """The output's size of a transposed convolution. In the form `keras`, `extra` below 0 says that none was given."""
    sizes = spread(i, len(i)) if isinstance(i, tuple) else (scalar(i),)
    rank = len(sizes)
    _checked(k, s, d, rank)
    axes = zip(sizes, *(spread(v, rank) for v in (k, s, d, extra)))
    if form == "keras":
        if not isinstance(padding, str):
            raise GraphError(f"padding of a Keras transpose is a word, not {told(padding)}")
        return tuple(_keras(padding, *axis) for axis in axes)
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            raise GraphError(f"there is no padding {padding!r} of a transpose", hint="known: valid, same, or numbers")
        if padding == "same":  # ONNX's auto_pad
            return tuple(mul(i_, s_) for i_, _, s_, _, _ in axes)
        padding = scalar(typing.constant(0))
    return tuple(
        add(mul(sub(i_, 1), s_), reach(k_, d_), extra_, sub(0, add(*pad)))
        for (i_, k_, s_, d_, extra_), pad in zip(axes, pairs(padding, rank))
    )


def _keras(padding: str, i: Expr, k: Expr, s: Expr, d: Expr, extra: Expr) -> Expr:
    given = compare(extra, ">=", 0)
    if padding == "same":
        usual, pad = mul(i, s), floordiv(k, 2)
    elif padding == "valid":
        usual, pad = add(mul(i, s), maximum(sub(reach(k, d), s), 0)), typing.constant(0)
    else:
        raise GraphError(f"there is no padding {padding!r} of a transpose", hint="known: valid, same")
    return where(given, add(mul(sub(i, 1), s), reach(k, d), extra, mul(-2, pad)), usual)
