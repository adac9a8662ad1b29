"""How a diagnostic is printed."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Diagnostic, Source, printable


@pytest.mark.parametrize(
    "text,shown",
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x9b2J\x7f\r", r"\x9b2J\x7f\x0d"),
        ("if (\u202eadmin\u2066)", r"if (\u202eadmin\u2066)"),
        ("naïve ≤ 3 …", "naïve ≤ 3 …"),
    ],
)
def test_a_terminal_obeys_nothing_of_a_text(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_carets_stand_under_a_span_behind_escapes() -> None:
    source = Source("e\x1b.c", "\x1b[31m\tx = bad;\n")
    start = source.text.index("bad")
    head, line, carets = Diagnostic("no such\x07 name", source.span(start, start + 3)).render().splitlines()
    assert head == r"e\x1b.c:1:11: error: no such\x07 name"
    assert line[carets.index("^") : carets.rindex("^") + 1] == "bad" and r"\x1b[31m" in line
