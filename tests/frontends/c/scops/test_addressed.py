"""Locals that code changes in ways that are not followed: their values before a nest are not taken for what it uses."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, scop_of

HEAD = """#include <utility>
void h(double *&, int);
void v(double *, const int &);
void f(int n, double *x, double *y) {
"""
FAR = f"{PRAGMA}\nfor (int i = 0; i < n; i++) p[i + 1] = y[i];\n}}\n"


@pytest.mark.parametrize(
    "change",
    [
        "try { p = y; } catch (...) { }",
        "({ p = y; });",
        "[&] { p = y; }();",
        "auto later = [&] { p = y; }; p = x; later();",
        "double *&other = p; p = x; other = y;",
        'asm("" : "=r"(p) : "r"(y));',
        "double *q = y; std::swap(p, q);",
        "h(p, n);",
    ],
)
def test_a_pointer_that_may_have_changed_may_point_anywhere(change: str) -> None:
    scop = scop_of(f"{HEAD}double *p = x; {change}\n{FAR}", "k.cpp")
    assert [h.reason for h in scop.hindrances] == ["`p` may point into any array"]
    assert "rw? y[o0]" in accesses(scop)


@pytest.mark.parametrize("change", ["", "v(p, n);", "[=] { return p; }();", "const auto &other = p;", "h(y, n);"])
def test_one_that_nothing_can_change_points_where_it_was_set_to(change: str) -> None:
    scop = scop_of(f"{HEAD}double *p = x; {change}\n{FAR}", "k.cpp")
    assert not scop.hindrances and accesses(scop) == ["r y[i]", "w p[i + 1]"]


def test_a_number_that_a_call_takes_by_reference_is_no_parameter() -> None:
    nest = f"{PRAGMA}\nfor (int i = 0; i < n; i++) {{ step(k); y[k] = x[i]; }}\n}}\n"
    head = "void step(int &);\nvoid f(int n, double *x, double *y) {\nint k = 2;\n"
    fixed = accesses(scop_of(head.replace("&", "") + nest, "k.cpp"), 1)
    moving = accesses(scop_of(head + nest, "k.cpp"), 1)
    assert "w y[k]" in fixed and "w y[k]" not in moving
