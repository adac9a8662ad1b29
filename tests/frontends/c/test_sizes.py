"""Further sizes at which results are compared: all remainders, around powers of two and around the tuned one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.frontends.c.test_inputs import call_of
from tunepass.diagnostics import Source
from tunepass.frontends.c.call.extra_sizes import divided_by_most
from tunepass.frontends.c.call.sizes import CHEAP, FurtherSizes, sizes_of_call
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel, ScalarArgument


def further(arguments: str, formals: str, clauses: str = "") -> FurtherSizes:
    return sizes_of_call(call_of(arguments, formals, clauses))


def values(further: FurtherSizes, name: str = "n") -> list[int]:
    return [int(dict(size)[name]) for size in further.sizes]


def test_sizes_of_one_number() -> None:
    sizes = further("n = 1000, y: out int[n]", "int n, int *y")
    tried = values(sizes)
    assert tried[: sizes.basic] == [999, 1, 7] and tried[sizes.extra[0] - 2] == 1001 and tried[-1] == 37
    assert set(range(1, 34)) | {63, 64, 65, 511, 512, 513} | set(range(984, 999)) < set(tried)
    assert len(set(tried)) == len(tried) < 120 and tried[sizes.middle - 1] == 998


def test_every_remainder_is_left_twice_where_arrays_are_cheap() -> None:
    sizes = further("n = 500, m = 500, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    tried = [n for n in values(sizes) if n > 40]
    assert {n % 16 for n in tried} == set(range(16)) == set(sizes.remainders(500)) - {-1}
    assert all(n * n + n <= CHEAP for n in tried if n not in (249, 501))
    unequal = [number for number, (n, m) in enumerate(zip(values(sizes), values(sizes, "m")), 1) if n and m and n != m]
    alone = [number for number in unequal if 1 in dict(sizes.sizes[number - 1]).values()]
    assert [dict(sizes.sizes[number - 1]) for number in alone] == [{"n": 1, "m": 37}, {"n": 37, "m": 1}]
    noted = tuple(number for number in unequal if number not in alone)
    assert sizes.noted == (("where n and m differ", noted),) and sizes.gaps == ()


def test_numbers_that_differ_stay_apart() -> None:
    sizes = further("n = 300, m = 200, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    turned = [(n, m) for n, m in zip(values(sizes), values(sizes, "m")) if n <= m and m > 1 and n > 0]
    assert turned == [(5, 37), (1, 35)]
    assert [dict(sizes.sizes[k - 1]) for k in dict(sizes.noted)["where m is larger than n"]] == [{"n": 5, "m": 37}]
    assert {m % 16 for m in values(sizes, "m")} == set(range(16))


def test_arrays_of_many_dimensions_have_small_sizes() -> None:
    sizes = further("n = 40, y: out double[n*n*n*n]", "int n, double *y")
    assert set(range(1, 17)) < set(values(sizes)) and max(n for n in values(sizes) if n not in (19, 41)) == 16
    assert set(sizes.remainders(40)) == {-1, *range(16)}


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


def test_the_tuned_size_leaves_a_remainder_too() -> None:
    sizes = further("n = 16, y: out int[n*n*n]", "int n, int *y")
    assert 0 not in {n % 16 for n in values(sizes) if n}
    assert sizes.remainders(16)[-1] == 0 and sizes.remainders(15) == ()


def test_lengths_that_small_sizes_do_not_have() -> None:
    tried = values(further("n = 60, y: out int[n - 36]", "int n, int *y"))
    assert min(tried) == 37 and {59, 61} < set(tried)


def extra(sizes: FurtherSizes) -> list[dict[str, int | float]]:
    return [dict(sizes.sizes[number - 1]) for number in sizes.extra]


def test_blocks_leave_rests_and_divide_sizes() -> None:
    sizes = further("n = 5000, x: in double[n], y: out double[n]", "int n, double *x, double *y")
    tried = [n for n in values(sizes) if n <= 5000]
    for block in range(2, 65):
        rests = {n % block for n in tried if n > block}
        assert all(rests & {rest, (rest + 1) % block, (rest + 2) % block} for rest in range(block))
    divided = [block for block in range(2, 129) if any(n % block == 0 and n >= 2 * block for n in tried)]
    assert {40, 48, 50, 60, 100, 120, 128} < set(divided) and len(divided) > 90


def test_small_sizes_have_few_blocks() -> None:
    assert divided_by_most(0) == divided_by_most(5) == () and divided_by_most(7) == (6,)


def test_sizes_are_drawn_from_the_seed() -> None:
    call = call_of("n = 5000, x: in double[n], y: out double[n]", "int n, double *x, double *y")
    first, again, other = (set(sizes_of_call(replace(call, seed=seed)).sizes) for seed in (1, 1, 2))
    assert first == again and len(first - other) >= 8
    assert {7501, 10001} < {n for ((_, n),) in first}


def test_large_arrays_are_not_made_larger() -> None:
    sizes = further("n = 100000, x: in double[n], y: out double[n]", "int n, double *x, double *y")
    assert max(values(sizes)) == 100001


def test_numbers_are_zero_together_and_alone() -> None:
    sizes = further("n = 50, m = 40, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    empty = [size for size in extra(sizes) if 0 in size.values()]
    assert empty == [{"n": 0, "m": 0}, {"n": 0, "m": 35}, {"n": 37, "m": 0}]


def test_equal_numbers_differ_at_a_few_sizes() -> None:
    sizes = further("n = 64, m = 64, k = 64, y: out double[n*m*k]", "int n, int m, int k, double *y")
    ((words, numbers),) = sizes.noted
    assert words == "where n and m and k differ"
    assert [[int(v) for _, v in sizes.sizes[number - 1]] for number in numbers] == [
        [31, 26, 21],
        [26, 21, 31],
        [21, 31, 26],
    ]


def test_floating_scalars_have_another_value_once() -> None:
    arguments = "n = 64, a = 2.5, b = 0.0, h = 1.0 / n, y: out double[n]"
    sizes = further(arguments, "int n, double a, double b, double h, double *y")
    ((words, (number,)),) = sizes.noted
    assert words == "with another a and b"
    assert dict(sizes.sizes[number - 1]) == {"n": 37, "a": 1.875, "b": 0.75}
    assert sizes.remainders(64)[number - 1] == -1
    values = {name: [value for _, of, value, _ in sizes.unusual if of == name] for name in ("a", "b", "h")}
    assert values == {"a": [1.0, 0.0, -1.0, -2.5], "b": [1.0, -1.0], "h": []}


def test_a_floating_scalar_stays_of_the_type_of_the_number_that_the_pragma_gives() -> None:
    """The harness has one table of it for all sizes."""
    sizes = further("n = 64, a = 2, y: out double[n]", "int n, double a, double *y")
    values = [value for _, _, value, _ in sizes.unusual]
    assert values == [1, 0, -1, -2] and all(isinstance(value, int) for value in values)


def test_whole_scalars_have_another_value_each_alone() -> None:
    arguments = "n = 64, k = 3, first = 0, step = 1, all = 1, last = n - 1, back = -2, y: out double[n]"
    formals = "int n, int k, unsigned first, long step, _Bool all, int last, int back, double *y"
    sizes = further(arguments, formals)
    tried = {words: [dict(sizes.sizes[number - 1]) for number in numbers] for words, numbers in sizes.noted}
    assert tried == {
        "with another k": [{"n": 37, "k": 2}, {"n": 62, "k": 2}],
        "with another first": [{"n": 37, "first": 1}, {"n": 62, "first": 1}],
        "with another step": [{"n": 37, "step": 2}, {"n": 62, "step": 2}],
        "with another all": [{"n": 37, "all": 0}, {"n": 62, "all": 0}],
    }
    noted = {number for _, numbers in sizes.noted for number in numbers}
    unusual = {number for number, *_ in sizes.unusual}
    assert set(sizes.gaps) == noted | unusual and not noted & unusual
    values = {name: [value for _, of, value, _ in sizes.unusual if of == name] for name in ("k", "first", "all")}
    assert values == {
        "k": [1, 4, 37, 65, 257, 1024, 131101, 0, -1, -3],
        "first": [37, 65, 257, 1024, 131101],
        "all": [],
    }
    assert {tuned for _, name, _, tuned in sizes.unusual if name == "k"} == {3}


@pytest.mark.parametrize(("tuned", "tried", "larger"), [(9, [8, 2], 10), (8, [7, 2], 9), (255, [127, 3], 511)])
def test_other_masks_are_tried_in_the_place_of_masks(tuned: int, tried: list[int], larger: int) -> None:
    sizes = further(f"n = 4000, k = {tuned}, y: out double[n]", "int n, int k, double *y")
    ((_, numbers),) = sizes.noted
    assert [dict(sizes.sizes[number - 1])["k"] for number in numbers] == tried * 2
    assert larger in {value for _, _, value, _ in sizes.unusual}


@pytest.mark.parametrize(("element", "most"), [("signed char", 65), ("short", 1024), ("long", 131101)])
def test_a_whole_scalar_has_values_of_its_type_alone(element: str, most: int) -> None:
    sizes = further("n = 64, k = 3, y: out double[n]", f"int n, {element} k, double *y")
    assert max(value for _, _, value, _ in sizes.unusual) == most


def test_a_scalar_of_an_enum_has_its_other_values() -> None:
    text = (
        "#pragma tunepass param T: ordinal(1, 2) = 1\n#pragma tunepass kernel f(n = 64, k = 4, y: out double[n])\n"
        "enum kind { A, B = 4, C };\n"
        "void f(int n, enum kind k, double *y) { for (int i = 0; i < n; i += 1) y[i] = T * k; }\n"
    )
    call = CFrontend().parse(Source("f.c", text)).kernels[0].body_as(CKernel).call
    assert call is not None
    sizes = sizes_of_call(call)
    ((_, numbers),) = sizes.noted
    assert [dict(sizes.sizes[number - 1])["k"] for number in numbers] == [0, 5] * 2 and sizes.unusual == ()


def test_scalars_within_lengths_are_smaller_where_the_source_fails() -> None:
    sizes = further("m = 200, n = 50, ld = 256, A: inout double[ld*n]", "int m, int n, int ld, double *A")
    pairs = [(dict(sizes.sizes[new - 1]), dict(sizes.sizes[old - 1])) for new, old in sizes.instead]
    assert ({"n": 35, "ld": 37, "m": 37}, {"n": 35, "ld": 37}) in pairs
    assert {new["m"] for new, _ in pairs} >= set(range(1, 34)) and all(new["m"] == new["ld"] for new, _ in pairs)


def test_an_array_leaves_16_bits_where_no_number_does() -> None:
    sizes = further("n = 100, A: in float[n*n], B: out float[n*n]", "int n, float *A, float *B")
    assert dict(sizes.sizes[sizes.wide[-1] - 1]) == {"n": 259}


def test_a_number_that_is_1_at_the_tuned_size_is_2() -> None:
    sizes = further("n = 64, batches = 1, y: out double[n*batches]", "int n, int batches, double *y")
    assert {"n": 37, "batches": 2} in extra(sizes)


@pytest.mark.parametrize(
    ("tuned", "tried"), [((32, 256, 32), (37, 5, 37)), ((4, 100, 1000), (8, 5, 2)), ((1024, 2, 3), (1, 4, 2))]
)
def test_the_smallest_number_is_the_largest_once(tuned: tuple[int, ...], tried: tuple[int, ...]) -> None:
    n, m, k = tuned
    sizes = further(f"n = {n}, m = {m}, k = {k}, y: out char[n*m*k]", "int n, int m, int k, char *y")
    (number,) = next(numbers for words, numbers in sizes.noted if "larger" in words)
    assert tuple(dict(sizes.sizes[number - 1]).values()) == tried


def test_the_largest_number_leaves_16_bits_and_stays_the_largest() -> None:
    sizes = further("n = 300, m = 200, A: in double[n*m], y: out double[n]", "int n, int m, double *A, double *y")
    assert [dict(size) for size in sizes.sizes if dict(size)["n"] > 1000] == [
        {"n": (1 << 15) + 3, "m": 1},
        {"n": (1 << 16) + 3, "m": 1},
        {"n": (1 << 17) + 3, "m": 1},
    ]


TEMPLATE = """
#pragma tunepass param O: categorical("-O1", "-O2") = "-O2" flag
#pragma tunepass kernel CALLED(n = 1000, by = 2, x: in double[n], y: out double[n])
template <class F> struct Index { typedef int of; };
template <class I, class F> void scale(KIND n, F by, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = by * x[i];
}
"""


@pytest.mark.parametrize(
    ("called", "kind", "element"),
    [
        ("scale<int, float>", "const I", "int"),
        ("scale<std::int64_t, float>", "const I &", "int64_t"),
        ("scale<int, float>", "typename Index<F>::of", None),
    ],
)
def test_sizes_of_a_templates_type_vary(called: str, kind: str, element: str | None) -> None:
    text = TEMPLATE.replace("CALLED", called).replace("KIND", kind)
    call = CFrontend().parse(Source("k.cpp", text)).kernels[0].body_as(CKernel).call
    assert call is not None
    n, by = call.arguments[:2]
    assert isinstance(n, ScalarArgument) and isinstance(by, ScalarArgument)
    assert (element is None or n.element == element) and by.element == "float"
    assert {999, 1, 7, 37, 65} < set(values(sizes_of_call(call)))


def constrained(arguments: str, formals: str, *constraints: str) -> FurtherSizes:
    lines = "".join(f"#pragma tunepass constraint {constraint}\n" for constraint in constraints)
    pragma = '#pragma tunepass param O: categorical("-O1", "-O2") = "-O2" flag\n'
    text = f"{pragma}{lines}#pragma tunepass kernel f({arguments})\nvoid f({formals}) {{}}\n"
    call = CFrontend().parse(Source("f.c", text)).kernels[0].body_as(CKernel).call
    assert call is not None
    return sizes_of_call(call)


def test_sizes_that_constraints_over_scalars_exclude_are_not_tried() -> None:
    sizes = constrained("n = 4096, x: in int[n], y: out int[n]", "int n, int *x, int *y", "n % 4 == 0")
    tried = values(sizes)
    assert all(n % 4 == 0 for n in tried) and {4092, 4, 36, 12, 256, 4100} < set(tried) and tried[-1] == 36
    assert {n % 16 for n in tried} == {0, 4, 8, 12} == set(range(16)) - set(sizes.excluded)
    far = values(constrained("n = 9000, y: out int[n]", "int n, int *y", "n % 1000 == 0"))
    assert {1000, 2000, 8000} < set(far) and not any(n % 1000 for n in far)


def test_sizes_vary_where_constraints_divide_numbers_that_differ() -> None:
    formals = "int n, int m, int *x, int *y"
    arguments = "n = 4096, m = 1024, x: in int[m], y: out int[n]"
    sizes = constrained(arguments, formals, "n % 8 == 0", "m % 4 == 0 and 4096 // 4 >= m")
    assert sizes.basic and all(dict(s)["n"] % 8 == dict(s)["m"] % 4 == 0 for s in sizes.sizes)
    assert {4080} < {dict(s)["n"] for s in sizes.sizes}


@pytest.mark.parametrize("constraint", ["n == 4096", "O == '-O1' or n > 0"])
def test_what_leaves_one_size_excludes_all_remainders_and_parameters_none(constraint: str) -> None:
    sizes = constrained("n = 4096, y: out int[n]", "int n, int *y", constraint)
    assert sizes.excluded == (tuple(range(16)) if constraint == "n == 4096" else ())
    assert bool(sizes.sizes) == (constraint != "n == 4096")


def test_unusual_scalars_are_tried_at_other_lengths_too() -> None:
    sizes = further(
        "m = 40, n = 30, a: in double[m * lda], lda = 30, beta = 0.5, y: inout double[m]",
        "int m, int n, double *a, int lda, double beta, double *y",
    )
    tried = {(name, value): set[tuple[int, ...]]() for _, name, value, _ in sizes.unusual}
    named = {number: (name, value) for number, name, value, _ in sizes.unusual}
    for number, other, base in sizes.moved:
        name, value = named[number]
        values = dict(sizes.sizes[other - 1])
        assert values.pop(name) == value and (not base or dict(sizes.sizes[base - 1]) == values)
        tried[name, value].add((values["m"], values["lda"], values.get("n", 30)))
    assert tried["beta", 1.0] == {(37, 27, 30), (37, 27, 27), (40, 30, 30)}
    assert -1 in sizes.remainders(40) and {number for _, number, _ in sizes.moved} <= set(sizes.extra)
