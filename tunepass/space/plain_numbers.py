"""Numbers that callers pass, as Python's own: NumPy's are accepted, Booleans and text are not."""

from __future__ import annotations

import numbers


def as_whole(value: object) -> int | None:
    """The whole number as an int; None for any other value, of which 4.0 is one."""
    return int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else None


def as_real(value: object) -> int | float | None:
    """The number as an int or a float, finite or not; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return int(value) if isinstance(value, numbers.Integral) else float(value)
