"""Pointers that walk through arrays as loops do."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, scop_of
from tunepass.ir.scop import Scop

FORMALS = "int n, int w, int h, int sd, int ss, char *d, const char *s"
ROW = "for (x = 0; x < w; x++)"


def walked(body: str, after: str = "") -> Scop:
    return scop_of(f"void f({FORMALS}) {{\n  int x, y; char *p, *q;\n{PRAGMA}\n{body}\n{after}\n}}\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (y = 0; y < h; y++) { @ *d++ = *s++; d += sd - w; s += ss - w; }", ["r s[y, x]", "w d[y, x]"]),
        ("for (y = 0; y < h; y++) { @ d[x] = s[x]; d += sd; s += ss; }", ["r s[y, x]", "w d[y, x]"]),
        ("for (y = 0; y < h; y++, d += sd, s += ss) @ d[x] = s[x];", ["r s[y, x]", "w d[y, x]"]),
        ("for (y = 0; y < h; y++) { p = d + y * sd; @ *p++ = s[x]; }", ["r s[x]", "w d[y, x]"]),
        ("for (y = 0; y < h; y++) { char *r = d + y * sd; @ *++r = s[y]; }", ["r s[y]", "w d[y, x + 1]"]),
        ("for (y = 0; y < h; y++) for (x = 0; x < 8; x++) *d++ = s[x];", ["r s[x]", "w d[x + 8*y]"]),
        ("for (y = h - 1; y >= 0; y--) for (x = 8; x > 0; x--) *d++ = s[x];", ["r s[x]", "w d[8*h - x - 8*y]"]),
        ("for (y = 0; y < h; y++) for (x = 0; x < 8; x++) { d[0] = s[x]; d += 2; }", ["r s[x]", "w d[2*x + 16*y]"]),
    ],
)
def test_a_walk_is_a_subscript(body: str, expected: list[str]) -> None:
    assert accesses(walked(body.replace("@", ROW))) == expected


@pytest.mark.parametrize(
    "body, after",
    [
        ("for (y = 0; y < h; y++) @ *d++ = s[x];", "*d = 0;"),  # where it ends is read later
        ("for (y = 0; y < h; y++) @ if (s[x]) *d++ = s[x];", ""),  # it moves by what the data say
        ("for (y = 0; y < h; y++) @ { if (s[x]) continue; *d++ = s[x]; }", ""),
        ("for (y = 0; y < h; y++) for (x = y; x < w; x++) *d++ = s[x];", ""),  # rows of different lengths
        ("for (y = 0; y < h; y++) { @ s[x] ? *d++ : 0; @ *d = 1; }", ""),
        ("for (y = 0; y < h; y++) { @ *d++ = s[x]; *d = 0; }", ""),  # w may be less than 0
        ("for (y = 0; y < h; y++) @ *d++ = *d;", ""),
        ("for (y = 0; y < h; y++) { @ *d++ = s[x]; sd++; d += sd; }", ""),
    ],
)
def test_other_walks_stay_as_they_are(body: str, after: str) -> None:
    scop = walked(body.replace("@", ROW), after)
    assert any(s.opaque for s in scop.statements) or scop.hindrances


def test_the_text_names_the_distance() -> None:
    scop = walked(f"for (y = 0; y < h; y++) {{ {ROW} *d++ = *s++; d += sd - w; s += ss - w; }}")
    (statement,) = scop.statements
    assert "".join(statement.text.split()) == (
        "*(d+(((long)(y)*(long)(sd))+(long)(x)))=*(s+(((long)(y)*(long)(ss))+(long)(x)));"
    )
