"""What a kernel may be called with besides the size that it is tuned at: further sizes, and arrays that overlap."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from tunepass.diagnostics import ExpressionError, SourceError, nearest
from tunepass.expr.nodes import Expr, IntegerType, free_names
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.pragmas.kernel import NameText, SizesText
from tunepass.frontends.cfamily.types.declared import is_integral, is_known
from tunepass.ir.c_kernel import Argument, ArrayArgument, KernelCall, ScalarArgument, Size

ELEMENT_LIMIT = 1 << 31  # elements of one array: beyond it a harness would only swap

MOST_SHARED = 3  # pairs of arrays

Scalars = dict[str, int | float]


# --- what the source says -----------------------------------------------------------------------------------------


def stated_sizes(texts: Sequence[SizesText], arguments: Sequence[Argument]) -> tuple[Size, ...]:
    """The k-th values of all scalars are one size."""
    scalars = {a.name: a for a in arguments if isinstance(a, ScalarArgument)}
    for number, text in enumerate(texts):
        if text.name in {earlier.name for earlier in texts[:number]}:
            raise SourceError(f"`{text.name}` is given twice", text.span)
        scalar = scalars.get(text.name)
        if scalar is None:
            raise SourceError(f"no scalar argument is called `{text.name}`", text.span, _known(text.name, scalars))
        if is_integral(scalar.element) and not all(isinstance(value, int) for value in text.values):
            raise SourceError(f"`{text.name}` is {scalar.element} in the definition, got a real value", text.span)
    sizes = tuple(zip(*([(text.name, value) for value in text.values] for text in texts)))
    for size in sizes:
        if not fits(arguments, size, least=0):
            words = ", ".join(f"{name} = {value}" for name, value in size)
            raise SourceError(f"an array has no possible length at {words}", texts[0].span)
    return sizes


def overlapping(clauses: Sequence[Sequence[NameText]], arguments: Sequence[Argument]) -> tuple[tuple[str, str], ...]:
    """The pairs of arrays that may overlap, one of each pair written."""
    arrays = {a.name: a for a in arguments if isinstance(a, ArrayArgument)}
    pairs: list[tuple[str, str]] = []
    for clause in clauses:
        for text in clause:
            if text.name not in arrays:
                raise SourceError(f"no array is called `{text.name}`", text.span, _known(text.name, arrays))
        for first, second in combinations(clause, 2):
            a, b = arrays[first.name], arrays[second.name]
            if a.element != b.element or a is b or a.row or b.row:
                hint = "arrays of one type can overlap" if a is not b else None
                raise SourceError(f"`{first.name}` and `{second.name}` cannot overlap", second.span, hint)
            if a.direction != "in" or b.direction != "in":
                pairs.append((a.name, b.name))
    return tuple(dict.fromkeys(pairs))


def shared_inputs(arguments: Sequence[Argument], restricted: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of arrays that a caller may pass one array for: of one type, only read, of random numbers, and not
    `restricted`."""
    read = [
        a
        for a in arguments
        if isinstance(a, ArrayArgument) and a.direction == "in" and a.fill is None and a.name not in restricted
    ]
    alike = [
        (a.name, b.name)
        for a, b in combinations(read, 2)
        if (a.element, a.lo, a.hi) == (b.element, b.lo, b.hi)
        and not (a.row or b.row or a.by_value or b.by_value or a.container or b.container)
    ]
    return tuple(alike[:MOST_SHARED])


def _known(name: str, known: Collection[str]) -> str:
    close = nearest(name, known)
    return f"did you mean `{close}`?" if close else f"there are {', '.join(known) or 'none'}"


# --- what the arguments allow -------------------------------------------------------------------------------------


def free_scalars(arguments: Sequence[Argument], made: Collection[str] = ()) -> dict[str, int]:
    """The scalars larger than 1 that decide an array's length, or are among `made`, and do not depend on others."""
    deciding = set(made)
    for argument in reversed(arguments):
        if isinstance(argument, ArrayArgument):
            deciding |= free_names(argument.length)
        elif isinstance(argument, ScalarArgument) and argument.name in deciding:
            deciding |= free_names(argument.value)
    values = scalar_values(arguments, ())
    return {
        a.name: int(values[a.name])
        for a in arguments
        if isinstance(a, ScalarArgument)
        and a.name in deciding
        and _is_whole(a)
        and not free_names(a.value)
        and values[a.name] > 1
    }


def _is_whole(scalar: ScalarArgument) -> bool:
    """True for unknown types too, except enums, if the pragma gives a whole number."""
    unknown = not (is_known(scalar.element) or scalar.enumerators or scalar.element.startswith("enum "))
    return is_integral(scalar.element) or (unknown and isinstance(scalar.value.type, IntegerType))


def scalar_values(arguments: Sequence[Argument], size: Size) -> Scalars:
    """Every scalar's value at a size. Raises ExpressionError or SourceError where one has none."""
    given, values = dict(size), Scalars()
    for argument in arguments:
        if isinstance(argument, ScalarArgument):
            values[argument.name] = given.get(argument.name, known_value(argument.value, values, f"`{argument.name}`"))
    return values


def known_value(e: Expr, scalars: Mapping[str, int | float], what: str) -> int | float:
    value = constant_value(e, scalars)
    if value is None:
        raise SourceError(f"{what} has no value", e.span)
    return value


def element_count(arguments: Sequence[Argument], size: Size = ()) -> int:
    """Of all arrays; at the size that is tuned unless another is given."""
    return int(sum(_lengths(arguments, size)))


def longest(arguments: Sequence[Argument], size: Size) -> int:
    """Elements of the longest array at a size; 0 without arrays."""
    return int(max(_lengths(arguments, size), default=0))


def _lengths(arguments: Sequence[Argument], size: Size) -> list[int | float]:
    scalars = scalar_values(arguments, size)
    return [known_value(a.length, scalars, a.name) for a in arguments if isinstance(a, ArrayArgument)]


def fits(arguments: Sequence[Argument], size: Size, *, least: int) -> bool:
    """Does every array have a possible length?"""
    try:
        lengths = _lengths(arguments, size)
    except (ExpressionError, SourceError):
        return False
    return all(least <= length <= ELEMENT_LIMIT for length in lengths)


def holds_random_numbers(call: KernelCall) -> bool:
    """Is an array filled, and says nothing with what?"""
    arrays = [a.fill for a in call.arguments if isinstance(a, ArrayArgument) and a.direction in ("in", "inout")]
    variables = [v.fill for v in call.globals if v.filled]
    return any(fill is None for fill in (*arrays, *variables))


def ranged(call: KernelCall) -> bool:
    """Has an array, a variable or a place of the setup's a range of its numbers?"""
    bounds = [(a.lo, a.hi) for a in call.arguments if isinstance(a, ArrayArgument)]
    bounds += [(v.lo, v.hi) for v in call.globals] + [(p.lo, p.hi) for p in (call.setup.places if call.setup else ())]
    return any(bound is not None for pair in bounds for bound in pair)


def holds_ranged_whole_numbers(call: KernelCall) -> bool:
    """Has one of them a range, and holds whole numbers, such as places in another array?"""
    arrays = [a for a in call.arguments if isinstance(a, ArrayArgument) and not a.leaves]
    whole = any(is_integral(a.element) and (a.lo is not None or a.hi is not None) for a in arrays)
    others = [(v.lo, v.hi) for v in call.globals] + [(p.lo, p.hi) for p in (call.setup.places if call.setup else ())]
    return whole or any(bound is not None for pair in others for bound in pair)  # their type is not known here


def refilled(call: KernelCall) -> tuple[str, ...]:
    """Arrays of numbers that `fill` gives by their index: they may hold others."""
    arrays = [a for a in call.arguments if isinstance(a, ArrayArgument) and a.direction in ("in", "inout")]
    plain = [a for a in arrays if not (a.leaves or a.enumerators or a.row or a.by_value)]
    return tuple(a.name for a in plain if a.fill is not None and "i" in free_names(a.fill))


def open_elements(call: KernelCall) -> tuple[bool, bool, bool]:
    """Do arrays of random numbers hold floating numbers, whole ones, and such of a byte? Types that are not known here
    may hold all, as may variables and what a setup makes."""
    arrays = [a for a in call.arguments if isinstance(a, ArrayArgument) and a.direction in ("in", "inout")]
    free = [a for a in arrays if a.fill is None and not a.enumerators]
    filled = [v.filled for v in call.globals] + [p.filled for p in (call.setup.places if call.setup else ())]
    elements = [leaf for a in free for leaf in ([x.element for x in a.leaves] or [a.element])]
    unknown = any(filled) or not all(is_known(element) for element in elements)
    real = unknown or any(not is_integral(element) for element in elements)
    whole = [element for element in elements if is_integral(element)]
    return real, unknown or bool(whole), unknown or any("char" in e or "int8" in e for e in whole)
