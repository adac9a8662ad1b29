"""At which further sizes a configuration has to be right: at those that the source's constraints allow it.

A number in a constraint that is the value of a scalar argument is taken for that argument: `512 % TILE == 0` beside
`n = 512` says that tiles divide n.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.nodes import Constant, Expr, Name, free_names
from tunepass.expr.numpy_eval import evaluate_within, satisfied
from tunepass.expr.numpy_ops import Mask
from tunepass.frontends.c.call.inputs import Scalars, free_scalars, scalar_values
from tunepass.ir.c_kernel import Argument, CKernel, ScalarArgument, Size
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


def over_scalars(requirements: Sequence[Expr], arguments: Sequence[Argument]) -> tuple[Expr, ...]:
    """The constraints that name scalar arguments and no parameter: they hold for all configurations or for none."""
    scalars = {a.name for a in arguments if isinstance(a, ScalarArgument)}
    return tuple(e for e in requirements if free_names(e) and free_names(e) <= scalars)


def sizes_called(requirements: Sequence[Expr], arguments: Sequence[Argument]) -> Callable[[Sequence[Size]], Mask]:
    """Marks the sizes, of the same scalars, at which constraints over scalars alone hold: `n == 512` says that n is."""
    tuned = scalar_values(arguments, ())
    scalars = [a for a in arguments if isinstance(a, ScalarArgument)]
    at_sizes = [_replaced(e, {}, _scalars_by_value(e, tuned, ())) for e in requirements]

    def called(sizes: Sequence[Size]) -> Mask:
        count, given = len(sizes), [dict(size) for size in sizes]
        columns: dict[str, NDArray[np.generic]] = {}
        for scalar in scalars if at_sizes and sizes else ():
            values = [size[scalar.name] for size in given] if scalar.name in given[0] else None
            known = evaluate_within(scalar.value, columns, count).values if values is None else np.array(values)
            columns[scalar.name] = np.broadcast_to(known, count)
        mask = np.ones(count, bool)
        for e in at_sizes if sizes else ():
            evaluated = evaluate_within(e, columns, count)
            mask &= evaluated.values.astype(bool) & evaluated.defined
        return mask

    return called


def _at_size(e: Expr, tuned: Scalars, values: Scalars, lengths: Collection[str]) -> Expr:
    return _replaced(e, values, _scalars_by_value(e, tuned, lengths))


def _scalars_by_value(e: Expr, tuned: Scalars, lengths: Collection[str]) -> dict[int | float, str]:
    """A number that is a scalar's value stands for it, but in a constraint that names one that decides no length: so
    `k == 3` says that k is."""
    named = {tuned[name] for name in free_names(e) if name in tuned and name not in lengths}
    return {
        value: name for name, value in tuned.items() if isinstance(value, int) and value >= LEAST and value not in named
    }


def _replaced(e: Expr, by_name: Mapping[str, int | float], by_value: Mapping[int | float, str]) -> Expr:
    """Scalars are replaced by the values in `by_name`, numbers first by the scalars that they stand for."""
    if isinstance(e, Name) and e.name in by_name:
        return Constant(by_name[e.name], e.type, e.span)
    if isinstance(e, Constant):
        known = isinstance(e.value, int) and not isinstance(e.value, bool) and e.value in by_value
        return _replaced(Name(by_value[e.value], e.type, e.span), by_name, by_value) if known else e  # type: ignore[index]
    changes: dict[str, object] = {}
    for field in fields(e):  # type: ignore[arg-type]
        part = getattr(e, field.name)
        if isinstance(part, Expr):
            changes[field.name] = _replaced(part, by_name, by_value)
        elif isinstance(part, tuple) and part and isinstance(part[0], Expr):
            changes[field.name] = tuple(_replaced(p, by_name, by_value) for p in part)
    return replace(e, **changes) if changes else e  # type: ignore[type-var]
