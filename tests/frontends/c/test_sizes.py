"""Further sizes at which results are compared: all remainders, around powers of two and around the tuned one."""

from __future__ import annotations

import pytest

from tests.frontends.c.test_inputs import call_of
from tunepass.frontends.c.call.sizes import CHEAP, FurtherSizes, sizes_of_call


def further(arguments: str, formals: str, clauses: str = "") -> FurtherSizes:
    return sizes_of_call(call_of(arguments, formals, clauses))


def values(further: FurtherSizes, name: str = "n") -> list[int]:
    return [int(dict(size)[name]) for size in further.sizes]


def test_sizes_of_one_number() -> None:
    sizes = further("n = 1000, y: out int[n]", "int n, int *y")
    tried = values(sizes)
    assert tried[: sizes.basic] == [999, 1, 7] and tried[-2:] == [1001, 37]
    assert set(range(1, 34)) | {63, 64, 65, 511, 512, 513} | set(range(984, 999)) < set(tried)
    assert len(set(tried)) == len(tried) < 80 and tried[sizes.middle - 1] == 998


def test_every_remainder_is_left_twice_where_arrays_are_cheap() -> None:
    sizes = further("n = 500, m = 500, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    tried = [n for n in values(sizes) if n > 40]
    assert {n % 16 for n in tried} == set(range(16)) == set(sizes.remainders(500))
    assert all(n * n + n <= CHEAP for n in tried if n not in (249, 501))
    assert [dict(size)["m"] for size in sizes.sizes] == values(sizes)


def test_numbers_that_differ_stay_apart() -> None:
    sizes = further("n = 300, m = 200, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    assert all(n > m or m == 1 for n, m in zip(values(sizes), values(sizes, "m")))
    assert {m % 16 for m in values(sizes, "m")} == set(range(16))


def test_arrays_of_many_dimensions_have_small_sizes() -> None:
    sizes = further("n = 40, y: out double[n*n*n*n]", "int n, double *y")
    assert set(range(1, 17)) < set(values(sizes)) and max(n for n in values(sizes) if n not in (19, 41)) == 16
    assert set(sizes.remainders(40)) == set(range(16))


@pytest.mark.parametrize(
    ("arguments", "formals", "clauses", "why"),
    [
        ("y: out int[512]", "int *y", "", "no whole number above 1 of the pragma decides the length of an array"),
        ("n = 512, y: out int[n]", "int n, int *y", "sizes()", ""),  # nobody asks for one
        ("n = 512, y: out int[n]", "int n, int *y", "sizes(n = 5)", ""),
    ],
)
def test_why_there_are_none(arguments: str, formals: str, clauses: str, why: str) -> None:
    assert further(arguments, formals, clauses).none == why


def test_lengths_that_small_sizes_do_not_have() -> None:
    tried = values(further("n = 60, y: out int[n - 36]", "int n, int *y"))
    assert min(tried) == 37 and {59, 61} < set(tried)
