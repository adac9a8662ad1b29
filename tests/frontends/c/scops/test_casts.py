"""Casts of C and C++ that change no subscript, bound or pointer: the nest has the schedules of the one without them."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, scop_of
from tests.frontends.c.scops.test_forms import schedules
from tunepass.ir.scop import Scop

HEAD = """\
#include <algorithm>
#include <cstddef>
#include <cstdint>
typedef int index_t; using real = double; typedef volatile double watched; typedef double *pointer;
"""
HEADER = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
BODY = "a[i * m + j] += b[j * n + i];"


def nest(body: str) -> Scop:
    return scop_of(
        f"{HEAD}void f(int n, int m, double *a, const double *b, float *c) {{\n{PRAGMA}\n{body}\n}}", "t.cpp"
    )


SAME = [
    "a[static_cast<std::size_t>(i) * static_cast<std::size_t>(m) + j] += b[std::size_t(j) * n + i];",
    "a[size_t{0} + i * m + j] += b[int{j} * n + i];",
    "a[static_cast<index_t>(i * m + j)] += b[index_t(j * n) + i];",
    "a[static_cast<decltype(n)>(i) * m + j] += b[(decltype(n))j * n + i];",
    "const_cast<double *>(a)[i * m + j] += static_cast<const real *>(b)[j * n + i];",
    "const_cast<double &>(a[i * m + j]) += real{b[j * n + i]} + real() + (m) + 1;",
    "*const_cast<double *>(a + i * m + j) += *reinterpret_cast<const double *>(&b[j * n + i]);",
    "if (static_cast<bool>(i < n)) a[i * m + j] += static_cast<double>(static_cast<float>(b[j * n + i]) + 0.5f);",
    "{ const std::size_t at{static_cast<std::size_t>(i * m + j)}; a[at] += b[j * n + i]; }",
    "{ const std::size_t at(i * m + j); a[at] += b[j * n + i]; }",
    "{ const auto at = index_t(i * m + j); a[at] += b[j * n + i]; }",
    "{ double *row(a + i * m); row[j] += b[j * n + i]; }",
    "{ auto row = reinterpret_cast<double *>(a + i * m); row[j] += b[j * n + i]; }",
    "{ const auto *row{b + i}; a[i * m + j] += row[j * n]; }",
    "{ double &at(a[i * m + j]); at += b[j * n + i]; }",
]


@pytest.mark.parametrize("body", SAME)
def test_casts_that_change_nothing(body: str) -> None:
    assert schedules(nest(HEADER + body)) == schedules(nest(HEADER + BODY))


@pytest.mark.parametrize(
    "header",
    [
        "for (int i = int(0); i < static_cast<int>(n); i += int{1}) for (index_t j{}; j < index_t(m); j++) ",
        "for (int i(0); i < std::min<int>(n, static_cast<int>(999)); i++) for (int j = 0; int(j) < m; j++) ",
    ],
)
def test_casts_in_bounds(header: str) -> None:
    assert schedules(nest(header + BODY)) == schedules(nest(HEADER + BODY))


@pytest.mark.parametrize(
    "body",
    [
        "static_cast<volatile double *>(a)[i * m + j] += b[j * n + i];",
        "reinterpret_cast<float *>(a)[i * m + j] += b[j * n + i];",
        "reinterpret_cast<double *>(c)[i * m + j] += b[j * n + i];",
        "pointer(a)[i * m + j] += b[j * n + i];",
        "a[static_cast<signed char>(i * m + j)] += b[j * n + i];",
        "a[int(b[i]) + j] += b[j * n + i];",
        "{ float *a = c; reinterpret_cast<double *>(a)[i * m + j] += b[j * n + i]; }",
    ],
)
def test_casts_that_change_what_is_accessed(body: str) -> None:
    assert schedules(nest(HEADER + body)) < schedules(nest(HEADER + BODY))


@pytest.mark.parametrize(
    "value,text",
    [
        ("i * m", "(i * m)"),
        ("static_cast<std::size_t>(i) * m", "((unsigned long)(static_cast<std::size_t>(i) * m))"),
        ("i * 1L * m", "((long)(i * 1L * m))"),
        ("short(i) * m", None),
        ("i * 0.5", None),
    ],
)
def test_a_number_whose_type_is_deduced_keeps_it(value: str, text: str | None) -> None:
    (statement,) = nest(f"{HEADER} {{ auto r = {value}; a[r + j] += b[j * n + i]; }}").statements
    assert statement.text.startswith(f"a[{text} + j]") if text else "auto r" in statement.text


def test_a_pointer_whose_type_is_deduced_leads_to_its_array() -> None:
    assert accesses(nest(f"{HEADER} {{ auto row = a + i * m; row[j] += c[j]; }}")) == ["+ a[i, j]", "r c[j]"]


def test_numbers_declared_with_values_in_brackets_become_assignments() -> None:
    body = "double s{0.0}, t(b[i]); int k{}; auto u = 1.5; for (int j = 0; j < m; j++) s += b[j] * t * u; a[i] = s;"
    scop = nest(f"for (int i = 0; i < n; i++) {{ {body} }}")
    texts = [statement.text for statement in scop.statements]
    assert texts == ["s = (0.0);", "t = (b[i]);", "k = 0;", "u = 1.5;", "s += b[j] * t * u;", "a[i] = s;"]
    assert scop.declarations == ("double s;", "double t;", "int k;", "double u;")


def test_an_object_with_its_value_in_brackets_stays() -> None:
    head = "struct Fixed { explicit Fixed(double d); double d; };\n"
    text = (
        f"{head}void f(int n, double *a) {{\n{PRAGMA}\nfor (int i = 0; i < n; i++) {{ Fixed v{{2.0}}; a[i] = v.d; }} }}"
    )
    (statement,) = scop_of(text, "t.cpp").statements
    assert "Fixed v{2.0};" in statement.text
