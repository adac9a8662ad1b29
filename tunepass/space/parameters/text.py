"""Values as people write and read them."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from tunepass.space.configuration import Value, shown

BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}
MOST_SUMMARISED = 12  # longer domains are shown by their ends
MOST_EXPECTED = 6  # values of a domain that a diagnostic lists


def number(written: str) -> int | float | None:
    """The number that is written so; None if it is none."""
    try:
        return int(written)
    except ValueError:
        pass
    try:
        return float(written)
    except ValueError:
        return None


def summary(domain: Sequence[Value]) -> str:
    """All values of a short domain; of a long one the first, the second and the last."""
    if len(domain) <= MOST_SUMMARISED:
        return ", ".join(shown(v) or '""' for v in domain)
    return f"{shown(domain[0])}, {shown(domain[1])}, ..., {shown(domain[-1])} ({len(domain)} values)"


def expected(domain: Sequence[Value]) -> str:
    """Description of the values of a parameter with this domain."""
    if len(domain) <= MOST_EXPECTED:
        return f"it takes {', '.join(map(str, domain))}"
    return f"it takes {domain[0]}, {domain[1]}, ..., {domain[-1]}"


def expected_number(domain: Sequence[int | float], written: str) -> str:
    """Description of the values of a parameter with this domain, and those nearest to the given number."""
    near = number(written)
    if near is None or len(domain) <= MOST_EXPECTED:
        return expected(domain)
    nearest = sorted(heapq.nsmallest(2, domain, key=lambda value: abs(value - near)))
    return f"{expected(domain)}; the nearest are {' and '.join(map(str, nearest))}"
