"""At which further sizes a configuration has to be right: at those that the source's constraints allow it.

A number in a constraint that is the value of a scalar argument is taken for that argument: `512 % TILE == 0` beside
`n = 512` says that tiles divide n.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace

from tunepass.expr.nodes import Constant, Expr, Name, free_names
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.c.call.inputs import Scalars, free_scalars, scalar_values
from tunepass.ir.c_kernel import CKernel, Size
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

LEAST = 2  # of a number that can stand for a size


def sizes_allowed(kernel: Kernel, sizes: Sequence[Size]) -> Callable[[Configuration], Collection[int]]:
    """The numbers, from 1, of the sizes at which a configuration satisfies the constraints."""
    body = kernel.body_as(CKernel)
    assert body.call is not None, f"{kernel.name} has no call"
    arguments = body.call.arguments
    tuned, lengths = scalar_values(arguments, ()), free_scalars(arguments)
    at_sizes = [
        [_at_size(e, tuned, scalar_values(arguments, size), lengths) for e in body.requirements] for size in sizes
    ]

    def allowed(configuration: Configuration) -> Collection[int]:
        values = kernel.filled(configuration)
        columns = {p.name: p.column([values[p.name]]) for p in kernel.parameters}
        return [
            number
            for number, constraints in enumerate(at_sizes, 1)
            if all(satisfied(constraint, columns, 1).all() for constraint in constraints)
        ]

    return allowed


def _at_size(e: Expr, tuned: Scalars, values: Scalars, lengths: Collection[str]) -> Expr:
    """A number that is a scalar's value stands for it, but in a constraint that names one that decides no length: so
    `k == 3` says that k is."""
    named = {tuned[name] for name in free_names(e) if name in tuned and name not in lengths}
    by_value: dict[int | float, int | float] = {
        value: values[name]
        for name, value in tuned.items()
        if isinstance(value, int) and value >= LEAST and value not in named
    }
    return _replaced(e, values, by_value)


def _replaced(e: Expr, by_name: Mapping[str, int | float], by_value: Mapping[int | float, int | float]) -> Expr:
    if isinstance(e, Name) and e.name in by_name:
        return Constant(by_name[e.name], e.type, e.span)
    if isinstance(e, Constant):
        known = isinstance(e.value, int) and not isinstance(e.value, bool) and e.value in by_value
        return Constant(by_value[e.value], e.type, e.span) if known else e  # type: ignore[index]
    changes: dict[str, object] = {}
    for field in fields(e):  # type: ignore[arg-type]
        part = getattr(e, field.name)
        if isinstance(part, Expr):
            changes[field.name] = _replaced(part, by_name, by_value)
        elif isinstance(part, tuple) and part and isinstance(part[0], Expr):
            changes[field.name] = tuple(_replaced(p, by_name, by_value) for p in part)
    return replace(e, **changes) if changes else e  # type: ignore[type-var]
