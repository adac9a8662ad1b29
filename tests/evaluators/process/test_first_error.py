"""The first error of what gcc, clang and their drivers print."""

from __future__ import annotations

import pytest

from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.first_error import errors_of, first_error, line_of, without_warnings
from tunepass.evaluators.process.run import Completed, Limits

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


MANY = "".join(f"k.c:2:{n}: warning: implicit declaration of 'p{n}'\n    2 | p{n}();\n      | ^\n" for n in range(200))
INCLUDED = """In file included from b.h:1,
                 from k.c:1:
a.h:2:2: error: #error "no"
    2 | #error "no"
      |  ^~~~~
k.c: In function 'f':
k.c:3:1: warning: unused
k.c:4:5: error: 'y' undeclared
    4 |     y;
      |     ^
k.c:4:5: note: each is told once
"""


def test_errors_stand_before_all_else_and_warnings_are_left_out() -> None:
    text = without_warnings(MANY + INCLUDED)
    assert text.splitlines()[:3] == ['a.h:2:2: error: #error "no"', '    2 | #error "no"', "      |  ^~~~~"]
    assert "from k.c:1:" in text and "each is told once" in text and "warning" not in text


def test_a_log_without_an_error_in_a_source_stays_as_it_is() -> None:
    log = "k.c:2:1: warning: unused\nld: k.o: undefined reference to `g'\ncollect2: error: ld returned 1 exit status"
    assert without_warnings(log) == log


def test_a_failure_has_the_first_error_however_many_warnings_are_before_and_after_it() -> None:
    failure = compile_failure(Completed(ended="exit", returncode=1, stderr=MANY + INCLUDED + MANY), Limits(wall_s=1))
    assert failure is not None and failure.log.startswith("a.h:2:2: error:") and "    4 |     y;" in failure.log
