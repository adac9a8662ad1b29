"""Amounts with a unit, as limits on resources have them: `10 MB`, `4 G`, `20 ms`."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.diagnostics import spelling_hint
from tunepass.frontends.params.tokens import Cursor

BYTES: Mapping[str, float] = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
SECONDS: Mapping[str, float] = {"h": 3600, "min": 60, "s": 1, "ms": 10**-3, "us": 10**-6}
NUMBERS: Mapping[str, float] = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS: Mapping[str, float] = {**BYTES, **NUMBERS, **SECONDS}


def amount(cursor: Cursor, what: str, units: Mapping[str, float] = UNITS) -> tuple[float, str]:
    """A number in its smallest unit, and the unit's word, empty where there is none."""
    number = cursor.number(what)
    if cursor.next.kind != "name":
        return number, ""
    word = cursor.take()
    if word.text not in units:
        hint = spelling_hint(word.text, units, f"known: {', '.join(units)}")
        cursor.fail(f"`{word.text}` is no unit", hint, token=word)
    return number * units[word.text], word.text
