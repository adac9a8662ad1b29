"""Arguments of callers as Python's own values: NumPy's numbers are accepted, Booleans and text for numbers are not."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Collection, Hashable, Iterable, Mapping


def as_scalar(value: object) -> object:
    """The one value of a NumPy array without axes; any other value as it is."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    return value


def as_whole(value: object) -> int | None:
    """The whole number as an int; None for any other value, of which 4.0 is one."""
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return None
    return int(value)


def as_real(value: object) -> int | float | None:
    """The number as an int or a float, finite or not; None for any other value."""
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def is_finite(value: int | float) -> bool:
    """Is the number one that a float can be near to? Of a whole number beyond any float `math.isfinite` raises."""
    return -sys.float_info.max <= value <= sys.float_info.max


def is_one_of(value: object, values: Collection[object]) -> bool:
    """Is the value equal to one of the values? An array is not, whatever its elements."""
    return isinstance(value, Hashable) and value in values


def as_texts(value: object) -> tuple[str, ...] | None:
    """The texts as a tuple; None for a single text and for any other value."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return None
    texts = tuple(value)
    return texts if all(isinstance(text, str) for text in texts) else None
