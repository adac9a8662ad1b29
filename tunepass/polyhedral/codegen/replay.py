"""Generated loops run by hand, for a few small sizes: every iteration once, in the schedule's order.

isl's generator has lost iterations, or changed their order, of nests whose loops have steps (islpy 2024.2 to 2026.2: a
triangle with steps 3 and 2 in tiles of 2 and 3, say). Domains without a remainder are not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.code import Block, Code, Condition, Instance, Let, Loop, Single
from tunepass.polyhedral.codegen.expressions import Expression, Name, Number, Operation

if TYPE_CHECKING:
    import islpy as isl

SIZES = (6, 9)  # of every parameter; the next one is a little larger
MOST = 20_000  # iterations; larger ranges are not tried
Run = tuple[str, tuple[int, ...]]  # a statement at these values of its indices


def keeps_schedule(scop: Scop, schedule: isl.Schedule, code: Code) -> bool:
    """`code` is that of the schedule, without copies."""
    if not any(" mod " in statement.domain for statement in scop.statements):
        return True
    for size in SIZES:
        sizes = {parameter.name: size + 2 * number for number, parameter in enumerate(scop.parameters)}
        expected = scheduled_runs(scop, schedule, sizes)
        if expected is not None and list(islice(runs(code, sizes), len(expected) + 1)) != expected:
            return False
    return True


def scheduled_runs(scop: Scop, schedule: isl.Schedule, sizes: Mapping[str, int]) -> list[Run] | None:
    """All iterations by their times; None where these are too many, or the sizes cannot be."""
    import islpy as isl

    names = ", ".join(sizes)
    known = " and ".join(f"{name} = {value}" for name, value in sizes.items()) or "true"
    context = isl.Set(f"[{names}] -> {{ : {known} }}").intersect(isl.Set(scop.context).params())
    if context.is_empty():
        return None
    times: list[tuple[tuple[int, ...], Run]] = []

    mapped = schedule.get_map().intersect_domain(schedule.get_domain()).intersect_params(context)
    try:
        mapped.foreach_map(lambda part: _noted(part, times))
    except OverflowError:
        return None
    return [run for _, run in sorted(times)]


def _noted(part: isl.Map, times: list[tuple[tuple[int, ...], Run]]) -> None:
    """The statement's iterations with their times."""
    import islpy as isl

    name, inside = part.get_tuple_name(isl.dim_type.in_), part.dim(isl.dim_type.in_)

    def note(point: isl.Point) -> None:
        if len(times) >= MOST:
            raise OverflowError
        count = point.get_space().dim(isl.dim_type.set)
        at = [int(str(point.get_coordinate_val(isl.dim_type.set, k))) for k in range(count)]
        times.append((tuple(at[inside:]), (name, tuple(at[:inside]))))

    part.wrap().foreach_point(note)


def runs(code: Code, values: Mapping[str, int]) -> Iterator[Run]:
    """Instances that `code` runs, in order."""
    match code:
        case Instance(statement, indices):
            yield statement, tuple(value_of(index, values) for index in indices)
        case Block(children):
            for child in children:
                yield from runs(child, values)
        case Condition(condition, then, otherwise):
            chosen = then if value_of(condition, values) else otherwise
            if chosen is not None:
                yield from runs(chosen, values)
        case Let(name, value, body):
            yield from runs(body, {**values, name: value_of(value, values)})
        case Single(body):
            yield from runs(body, values)
        case Loop():
            for at in range(value_of(code.first, values), value_of(code.last, values) + 1, code.step):
                yield from runs(code.body, {**values, code.index: at})


def value_of(expression: Expression, values: Mapping[str, int]) -> int:
    """As C computes it; both sides of a condition are worked out."""
    match expression:
        case Number(value):
            return value
        case Name(name):
            return values[name]
        case Operation("?:", (condition, then, otherwise)):
            return value_of(then if value_of(condition, values) else otherwise, values)
        case Operation(operator, operands):
            return OPERATIONS[operator](*(value_of(operand, values) for operand in operands))
    raise TypeError(expression)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS: Mapping[str, Callable[..., int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "min": min,
    "max": max,
    "floor": lambda a, b: a // b,
    "/": _quotient,
    "%": lambda a, b: a - _quotient(a, b) * b,
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
    "==": lambda a, b: int(a == b),
    "<=": lambda a, b: int(a <= b),
    "<": lambda a, b: int(a < b),
    ">=": lambda a, b: int(a >= b),
    ">": lambda a, b: int(a > b),
}
