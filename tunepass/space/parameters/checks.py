"""What the constructors of all kinds check, and how they set the fields of a frozen value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr.typing import FUNCTIONS
from tunepass.space.plain_values import as_real, as_whole, is_finite

Number = int | float

RESERVED = frozenset(FUNCTIONS) | {"and", "or", "not", "in", "if", "else", "true", "false", "True", "False", "None"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def freeze(parameter: object, **values: object) -> None:
    """Sets fields of a frozen dataclass."""
    for name, value in values.items():
        object.__setattr__(parameter, name, value)


def check_name(name: str, span: Span | None) -> None:
    if not isinstance(name, str) or not _IDENTIFIER.match(name):
        raise SpaceError(f"a parameter's name is letters, digits and _, not starting with a digit, got {name!r}", span)
    if name in RESERVED:
        raise SpaceError(f"a parameter's name is not a word of the expression language, got {name!r}", span)


def flag(name: str, argument: str, value: object, span: Span | None) -> bool:
    """The Boolean argument `argument`, also one of NumPy's."""
    if not isinstance(value, (bool, np.bool_)):
        raise SpaceError(f"{name}: {argument} is True or False, got {value!r}", span)
    return bool(value)


def whole_number(name: str, argument: str, value: object, span: Span | None) -> int:
    """The argument `argument`, small enough for every sum of two of them to have 63 bits."""
    whole = as_whole(value)
    if whole is None or abs(whole) >= 1 << 62:
        raise SpaceError(f"{name}: {argument} is a whole number below 2**62, got {value!r}", span)
    return whole


def real_number(name: str, argument: str, value: object, span: Span | None) -> float:
    """The argument `argument`, finite or not."""
    real = as_real(value)
    if real is None:
        raise SpaceError(f"{name}: {argument} is a number, got {value!r}", span)
    try:
        return float(real)
    except OverflowError:
        raise SpaceError(f"{name}: {argument} must be finite, got a whole number beyond any float", span) from None


def check_range(name: str, lo: Number, hi: Number, log: bool, span: Span | None) -> None:
    if not (is_finite(lo) and is_finite(hi)):
        raise SpaceError(f"{name}: values must be finite, got {lo} and {hi}", span)
    if lo > hi:
        raise SpaceError(f"{name}: lo <= hi must hold, got {lo=}, {hi=}", span)
    if not math.isfinite(float(hi) - float(lo)):
        raise SpaceError(f"{name}: the range must be below 1.8e308, got {lo=}, {hi=}", span)
    if log and lo <= 0:
        raise SpaceError(f"{name}: a log scale needs positive values, got {lo:g}", span)


def distinct(
    name: str, values: Sequence[bool | None] | Sequence[Number | None] | Sequence[str | None], span: Span | None
) -> tuple:  # type: ignore[type-arg]
    """The values as plain Python values, not empty and without duplicates; True and 1 count as different kinds. None
    may be among them."""
    if isinstance(values, (str, bytes)):
        raise SpaceError(f"{name}: values are a list, got the string {values!r}", span)
    if not isinstance(values, Iterable) or isinstance(values, (set, frozenset)):  # a set has no order
        raise SpaceError(f"{name}: values are a list, got {values!r}", span)
    plain = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    if not plain:
        raise SpaceError(f"{name}: at least one value is needed, got none", span)
    for v in plain:
        if v is not None and not isinstance(v, (bool, int, float, str)):
            raise SpaceError(f"{name}: values are numbers, strings or Booleans, got {v!r}", span)
        if isinstance(v, (int, float)) and (not is_finite(v) or (isinstance(v, int) and abs(v) >= 1 << 63)):
            raise SpaceError(f"{name}: values must be finite and below 2**63, got {v!r}", span)
    if any(isinstance(v, bool) for v in plain) and not all(isinstance(v, bool | None) for v in plain):
        raise SpaceError(f"{name}: values are all strings, all numbers or all Booleans, got {listing(plain)}", span)
    seen: set[object] = set()
    for v in plain:
        if v in seen:
            raise SpaceError(f"{name}: values must be distinct, got {v!r} twice", span)
        seen.add(v)
    return plain


def one_number_type(values: tuple[Number, ...]) -> tuple[Number, ...]:
    """All int, or all float when any is."""
    return values if all(isinstance(v, int) for v in values) else tuple(float(v) for v in values)


def listing(values: Sequence[object]) -> str:
    """The first eight values, as Python writes them."""
    words = [repr(v) for v in values[:8]]
    return ", ".join([*words, "…"] if len(values) > 8 else words)
