"""Legality of a schedule as known constraints of its parameters: a configuration satisfies them where
`scheduled_nest` accepts it.

Where nothing rewrites loops after the one reorder that a permutation gives, the constraints are the nest's requirements
themselves, written as positions. Elsewhere orders are tried one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr, OrderType, free_names
from tunepass.expr.printer import literal, to_text
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.ir.tensor import Parallelize, Reorder, TensorKernel, Unroll
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter, Permutation
from tunepass.tensors.schedule.nest import IllegalSchedule, order_span, scheduled_nest, unordered_nest
from tunepass.tensors.schedule.numbers import ScheduleCondition, number_conditions
from tunepass.tensors.schedule.orders import precedences_of
from tunepass.tensors.schedule.requirements import Requirement, requirements

TRIED_VALUES = 100_000  # values of sizes that are tried to find one that is legal
TRIED_ORDERS = 50_000  # orders that are tried one by one: all of eight loops


def derived_constraints(body: TensorKernel, parameters: Sequence[Parameter]) -> tuple[Constraint, ...]:
    """Raises IllegalSchedule where no configuration is legal."""
    named = {parameter.name: parameter for parameter in parameters}
    conditions = number_conditions(body, named)
    values = _legal_numbers(body, named, conditions)
    reorders = [d for d in body.schedule if isinstance(d, Reorder) and d.parameter is not None]
    texts: list[tuple[str, Span | None]] = [(to_text(c.expression), c.span) for c in conditions]
    if not reorders:
        scheduled_nest(body, values)
    else:
        at = body.schedule.index(reorders[0])
        is_last = all(isinstance(directive, (Unroll, Parallelize)) for directive in body.schedule[at + 1 :])
        laws = _required(body, reorders[0], named, values) if is_last else _tried(body, reorders, named, values)
        texts += [(text, order_span(body)) for text in laws]
    return tuple(
        Constraint(Constraint.parse(text, parameters).expression, text, span, derived=True)
        for text, span in dict.fromkeys(texts)
    )


def _legal_numbers(
    body: TensorKernel, parameters: Mapping[str, Parameter], conditions: tuple[ScheduleCondition, ...]
) -> dict[str, Value]:
    """The defaults, as far as the conditions hold there; else the first values for which they do."""
    defaults: dict[str, Value] = {name: parameter.default for name, parameter in parameters.items()}
    used = list(dict.fromkeys(name for c in conditions for name in sorted(free_names(c.expression))))
    choices = (dict(zip(used, chosen)) for chosen in product(*(parameters[name].domain for name in used)))
    for chosen in chain([{}], islice(choices, TRIED_VALUES)):
        if all(_holds(condition.expression, defaults | chosen) for condition in conditions):
            return defaults | chosen
    raise IllegalSchedule(
        "factor",
        f"no values of {', '.join(used)} satisfy {' and '.join(to_text(c.expression) for c in conditions)}",
        conditions[0].span,
    )


def _holds(e: Expr, values: Mapping[str, Value]) -> bool:
    try:
        return bool(evaluate(e, dict(values)))
    except (UndefinedValue, OverflowValue):
        return False


# --- one permutation, and nothing that rewrites loops after it


def _required(
    body: TensorKernel, reorder: Reorder, parameters: Mapping[str, Parameter], values: Mapping[str, Value]
) -> Iterator[str]:
    """The requirements of the nest, as far as they are about the loops that the permutation orders."""
    nest = unordered_nest(body, values)
    items = _items(reorder, parameters)
    for statement in nest.statements():
        depth = {name: number for number, name in enumerate(statement.loops)}
        ordered_items = {name: item for name, item in items.items() if name in depth}
        for requirement in requirements(nest, statement):
            yield from _law(requirement, depth, ordered_items, order_span(body))


def _law(
    requirement: Requirement, depth: Mapping[str, int], items: Mapping[str, str], span: Span | None
) -> Iterator[str]:
    """The requirement as text, where it depends on the order. Raises IllegalSchedule where it never holds."""
    block = [depth[name] for name in items] or [len(depth)]
    first, second = (
        [items[name] for name in sorted(s) if name in items] for s in (requirement.first, requirement.second)
    )
    last_first = max((depth[name] for name in requirement.first if name not in items), default=-1)
    last_second = max((depth[name] for name in requirement.second if name not in items), default=-1)
    if last_second > max(block):
        may_hold = last_first < last_second
    elif second:
        may_hold = last_first < min(block)
        if first:
            yield f"{_last_of(first)} < {_last_of(second)}"
    else:
        may_hold = not first and last_first < last_second
    if not may_hold:
        raise IllegalSchedule(requirement.rule, str(requirement), span)


def _items(reorder: Reorder, parameters: Mapping[str, Parameter]) -> dict[str, str]:
    """Expression for the position of each loop."""
    assert reorder.parameter is not None
    kind = parameters[reorder.parameter].type
    assert isinstance(kind, OrderType)
    return {loop: f"pos({reorder.parameter}, {literal(item)})" for loop, item in zip(reorder.variables, kind.items)}


def _last_of(positions: Sequence[str]) -> str:
    return positions[0] if len(positions) == 1 else f"max({', '.join(positions)})"


# --- orders one by one


def _tried(
    body: TensorKernel, reorders: Sequence[Reorder], parameters: Mapping[str, Parameter], values: Mapping[str, Value]
) -> Iterator[str]:
    """Every order of every permutation is tried; what is legal becomes precedences."""
    used_parameters = [
        parameters[name] for name in dict.fromkeys(r.parameter for r in reorders if r.parameter is not None)
    ]
    count = math.prod(parameter.size or 0 for parameter in used_parameters)
    if count > TRIED_ORDERS:
        raise IllegalSchedule(
            "nested",
            f"{count} orders are too many to try, and loops are rewritten after they are reordered",
            reorders[0].span,
            "write the reorder after the directives that make or take away loops",
        )
    every = list(product(*(parameter.domain for parameter in used_parameters)))
    names = [parameter.name for parameter in used_parameters]
    legal = [orders for orders in every if _is_legal(body, {**values, **dict(zip(names, orders))})]
    if not legal:
        scheduled_nest(body, {**values, **dict(zip(names, every[0]))})  # raises
    if len(legal) < len(every):
        yield _alternatives(used_parameters, legal, every)


def _is_legal(body: TensorKernel, values: Mapping[str, Value]) -> bool:
    try:
        scheduled_nest(body, values)
    except IllegalSchedule:
        return False
    return True


def _alternatives(
    used_parameters: Sequence[Parameter], legal: Sequence[tuple[Value, ...]], every: Sequence[tuple[Value, ...]]
) -> str:
    """Several permutations are one order each of their own items, side by side."""
    places: list[str] = []
    codes: list[dict[int | str, int]] = []
    for parameter in used_parameters:
        assert isinstance(parameter, Permutation)
        codes.append({item: number for number, item in enumerate(parameter.items, len(places))})
        places += [f"pos({parameter.name}, {literal(item)})" for item in parameter.items]

    def coded(orders: tuple[Value, ...]) -> tuple[int, ...]:
        return tuple(code[item] for code, order in zip(codes, orders) if isinstance(order, tuple) for item in order)

    sizes = [len(code) for code in codes]
    precedences = precedences_of([coded(orders) for orders in legal], [coded(orders) for orders in every], sizes)
    texts = [" and ".join(f"{places[a]} < {places[b]}" for a, b in pairs) for pairs in precedences]
    return texts[0] if len(texts) == 1 else " or ".join(f"({text})" for text in texts)
