"""Parameters for the kinds of NNI's search spaces that are ranges (docs/source/hpo/search_space.rst of NNI 3.0)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tunepass.diagnostics import SpaceError, spelling_hint
from tunepass.space.parameter import Integer, Ordinal, Real
from tunepass.space.plain_values import as_real, is_finite

QUANTISED = ("quniform", "qloguniform")
RANGES = ("randint", "uniform", "quniform", "loguniform", "qloguniform")
KINDS = ("choice", *RANGES)
ENDLESS = ("normal", "qnormal", "lognormal", "qlognormal")
MOST_VALUES = 4096  # of a quantised range
HINT = 'a parameter is {"_type": "choice", "_value": [16, 32]}'


def known_kind(kind: object) -> str:
    """The `_type` itself.

    Raises:
        SpaceError: it is not searched.
    """
    if kind in ENDLESS:
        raise SpaceError(f"`{kind}` is not searched", hint="its values have no ends: write uniform, with ends")
    if kind not in KINDS:
        hint = spelling_hint(str(kind), KINDS, f"{', '.join(KINDS)} are read")
        raise SpaceError(f"`{kind}` is not searched", hint=hint)
    return str(kind)


def parameter_of_range(
    name: str, kind: str, values: Sequence[object], when: str | None = None
) -> Integer | Ordinal | Real:
    """The parameter of a `_type` and `_value`.

    Args:
        name: of the parameter.
        kind: one of `RANGES`.
        values: low and high, and q if the kind is quantised; `randint` has high outside.
        when: a condition, for a parameter inside a choice.

    Raises:
        SpaceError: these are no such numbers, or q gives too many values.
    """
    numbers = [number for value in values if (number := as_real(value)) is not None and is_finite(number)]
    quantised = kind in QUANTISED
    if len(numbers) != len(values) or len(numbers) != 2 + quantised or not numbers[0] < numbers[1]:
        expected = "[low, high, q]" if quantised else "[low, high]"
        raise SpaceError(f"the `_value` of {kind} is {expected}, numbers with low below high")
    low, high = numbers[:2]
    log = "log" in kind
    if log and not low > 0:
        raise SpaceError(f"the ends of {kind} are above 0")
    if kind == "randint":
        if low != int(low) or high != int(high):
            raise SpaceError("the ends of randint are whole numbers")
        return Integer(name, int(low), int(high) - 1, when=when)
    if quantised:
        return Ordinal(name, _steps(low, high, numbers[2]), log=log, when=when)
    return Real(name, float(low), float(high), log=log, when=when)


def _steps(low: float, high: float, q: float) -> list[int] | list[float]:
    """clip(round(x / q) * q, low, high)"""
    if not q > 0 or (high - low) / q > MOST_VALUES:
        raise SpaceError(f"q is above 0, and gives {MOST_VALUES:,} values at most")
    places = range(round(low / q), round(high / q) + 1)
    values = list(dict.fromkeys(min(max(place * q, low), high) for place in places))
    return [int(v) for v in values] if all(v == math.floor(v) for v in values) else [float(v) for v in values]
