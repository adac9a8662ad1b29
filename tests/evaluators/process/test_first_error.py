"""The first error of what gcc, clang and their drivers print."""

from __future__ import annotations

import pytest

from tunepass.evaluators.process.first_error import errors_of, first_error, line_of

GCC = """In file included from k.c:1:
k.c: In function 'f':
k.c:7:5: warning: unused
k.c:8:9: error: 'x' undeclared (first use in this function)
"""
CASES = {
    GCC: ("k.c:8:9: error: 'x' undeclared (first use in this function)", 8),
    "k.c:4:10: fatal error: 'gen.h' file not found\n": ("k.c:4:10: fatal error: 'gen.h' file not found", 4),
    "clang: error: unknown argument: '-fx'": ("clang: error: unknown argument: '-fx'", None),
    "the compiler did not end within 10 s": ("", None),
}


@pytest.mark.parametrize(("log", "expected"), CASES.items(), ids=["gcc", "clang", "driver", "none"])
def test_first_error(log: str, expected: tuple[str, int | None]) -> None:
    assert (first_error(log), line_of(log)) == expected


def test_the_first_of_several_logs() -> None:
    assert errors_of(["stopped", GCC]) == first_error(GCC) and errors_of([]) == ""
