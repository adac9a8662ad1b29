"""Index equations of einsum: `bij,bjk->bik`, and `...` for axes that all operands share at their beginning."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.graphs.values import GraphError, Value, product, told, vector


def einsum_shape(equation: Value, shapes: Value) -> Value:
    """The result's shape."""
    result, sizes, shared = _read(equation, shapes)
    return (*(shared if "." in result else ()), *(sizes[name] for name in result if name != "."))


def einsum_size(equation: Value, shapes: Value) -> Value:
    """The product of all sizes that the equation runs over, each once: the multiply-adds of two operands."""
    _, sizes, shared = _read(equation, shapes)
    return product([*shared, *sizes.values()])


def _read(equation: Value, shapes: Value) -> tuple[str, dict[str, Expr], tuple[Expr, ...]]:
    """The result's letters (`.` for the shared axes), the size of each letter, and of the shared axes."""
    if not isinstance(equation, str) or not isinstance(shapes, tuple):
        raise GraphError(f"an equation such as 'bij,bjk->bik' and shapes are needed, not {told(equation)}")
    text = equation.replace(" ", "").replace("...", ".")
    left, arrow, result = text.partition("->")
    operands = left.split(",")
    if len(operands) != len(shapes) or not all(c.isalpha() or c == "." for c in left.replace(",", "") + result):
        raise GraphError(f"{equation!r} is no equation of {len(shapes)} operands")
    sizes: dict[str, Expr] = {}
    shared: tuple[Expr, ...] = ()
    for letters, shape in zip(operands, shapes):
        axes = vector(shape, "a shape")
        named = letters.replace(".", "")
        extra = len(axes) - len(named)
        if extra < 0 or (extra and "." not in letters):
            raise GraphError(f"`{letters}` of {equation!r} does not fit the shape {told(shape)}")
        at = letters.find(".") if "." in letters else len(named)
        shared = max(shared, axes[at : at + extra], key=len)
        for name, size in zip(named, (*axes[:at], *axes[at + extra :])):
            _same(sizes.setdefault(name, size), size, name, equation)
    if not arrow:
        counts = left.replace(",", "")
        result = ("." if shared else "") + "".join(sorted(c for c in set(counts) - {"."} if counts.count(c) == 1))
    unknown = set(result) - set(sizes) - {"."}
    if unknown:
        raise GraphError(f"{equation!r} makes {', '.join(sorted(unknown))} out of nothing")
    return result, sizes, shared


def _same(left: Expr, right: Expr, name: str, equation: str) -> None:
    a, b = algebra.number(left), algebra.number(right)
    if a is not None and b is not None and a != b and 1 not in (a, b):
        raise GraphError(f"`{name}` of {equation!r} is {a} and {b}")
