"""What the `setup` and `teardown` clauses mean, and what is wrong with them, at its place."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.frontends.c.call.sizes import further_sizes, sizes_of_call
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel, KernelCall, Setup

HEAD = """\
struct csr { int n; int *start; double *values; struct csr *next; };
#pragma tunepass param OPT: categorical("-O1", "-O2") flag
"""
KERNEL = "void scale(struct csr *A, double by, int n) { for (int k = 0; k < n; k++) A->values[k] *= by; }\n"


def read(pragma: str, functions: str, kernel: str = KERNEL, suffix: str = ".c") -> tuple[KernelCall, list[Diagnostic]]:
    text = f"{HEAD}{functions}\n#pragma tunepass kernel {pragma}\n{kernel}"
    parsed = CFrontend().parse(Source(f"kernel{suffix}", text))
    call = parsed.kernels[0].body_as(CKernel).call
    assert call is not None and call.setup is not None
    return call, list(parsed.warnings)


def setup_of(pragma: str, functions: str, kernel: str = KERNEL) -> Setup:
    call, _ = read(pragma, functions, kernel)
    assert call.setup is not None
    return call.setup


MAKE = "void make(struct csr **A);"
CALL = "scale(A, by = 2, n = 100)"


def test_a_struct_is_compared_by_its_members_and_all_that_it_points_to() -> None:
    call, warnings = read(f"{CALL} setup(make)", MAKE)
    assert call.setup is not None and not warnings
    places = {place.text: place for place in call.setup.places}
    assert list(places) == ["A->start", "A->values", "A->next", "*A", "A->next[].start", "A->next[].values"]
    assert all(place.found for place in places.values())
    members = ["n", "start", "values", "next"]
    assert [leaf.path for leaf in places["*A"].leaves] == members == [leaf.path for leaf in places["A->next"].leaves]
    assert places["A->next"].again == ("next",)
    assert (places["A->next[].start"].within, places["A->next[].start"].member) == ("A->next", "start")


def test_places_that_are_named_take_the_place_of_those_that_are_found() -> None:
    setup = setup_of("scale(A, by = 2, n = 100, A->values: out double[A->n], A->n: inout int) setup(make)", MAKE)
    first, second = setup.places
    assert (first.text, first.length, first.direction, first.filled) == ("A->values", "(A->n)", "out", False)
    assert (second.text, second.length, second.element) == ("A->n", "", "int")


def test_a_range_fills_a_place() -> None:
    (place,) = setup_of("scale(A, by = 2, n = 100, A->values: in double[n] range(0, n)) setup(make)", MAKE).places
    assert place.filled and place.direction == "inout" and place.hi is not None


def test_variables_that_point_to_what_the_setup_allocates_are_found() -> None:
    functions = "static double *cells, *others;\nvoid make(void) { cells = 0; }"
    kernel = "void step(void) { cells[0] = others[0]; }"
    assert [place.text for place in setup_of("step() setup(make)", functions, kernel).places] == ["cells"]


def test_what_variables_lead_to_is_compared_whatever_their_type() -> None:
    functions = (
        "struct part { double *v; int n; };\n"
        "static double **rows, *fixed[2]; static struct part one, many[2];\n"
        "void make(void) { rows = 0; fixed[0] = 0; one.v = 0; many[0].v = 0; }"
    )
    kernel = "void step(void) { rows[0][0] = fixed[0][0] = one.v[0] = many[1].v[0] = 1; }"
    places = [place.text for place in setup_of("step() setup(make)", functions, kernel).places]
    assert places == ["rows", "rows[]", "fixed", "fixed[]", "one.v", "many", "many[].v"]


@pytest.mark.parametrize(
    ("clauses", "make", "sizes"),
    [
        ("setup(make)", "void make(struct csr **A, int n);", [99, 1, 7, 2, 3]),
        ("setup(make)", MAKE, []),
        ("setup(make) sizes(n = 5)", MAKE, [5]),
    ],
)
def test_sizes_vary_where_the_setup_takes_them(clauses: str, make: str, sizes: list[int]) -> None:
    kernel = "void scale(struct csr *A, double by, int n, double *x) { x[0] = A->values[0]; }"
    call, _ = read(f"scale(A, by = 2, n = 100, x: out double[n]) {clauses}", make, kernel)
    assert [dict(size)["n"] for size in further_sizes(call)][:5] == sizes
    assert sizes_of_call(call).none == ("" if sizes else "the setup does not take n")


@pytest.mark.parametrize(
    ("pragma", "functions", "message", "hint", "place"),
    [
        (f"{CALL} setup(mkae)", MAKE, "no function `mkae` is declared", "void mkae(struct csr **A)", "mkae"),
        (f"{CALL} setup(make)", "void make(int *B, struct csr **A);", "takes `int *B`", "struct csr **A", "make"),
        (f"{CALL} setup(make)", "void make(struct csr A);", "by value", "void make(struct csr **A)", "make"),
        (f"{CALL} setup(make)", "void make(void);", "does not make `A`", "void make(struct csr **A)", "make"),
        (f"{CALL} setup(make) teardown(drop)", f"{MAKE} void drop(int a, int b);", "takes `int a`", "names", "drop"),
        (f"{CALL}", MAKE, "expected `:` or `=` after `A`", "`setup(FUNCTION)`", "A"),
        ("scale(A, by = 2, n = 100, A->n: inout int)", MAKE, "expected `:` or `=` after `A`", "setup", "A"),
        (f"{CALL} teardown(make)", MAKE, "`teardown` without `setup`", "setup", "make"),
        (f"{CALL} setup(make, twice)", MAKE, "expected `once`, found `twice`", "setup(make_matrix)", "twice"),
        (
            "scale(A, by = 2, n = 100, A->values: in double[n]) setup(make)",
            MAKE,
            "`A->values` is as the setup leaves it",
            "range(lo, hi)",
            "A->values",
        ),
        (
            "scale(A, by = 2, n = 100, *A: in struct csr range(0, 1)) setup(make)",
            MAKE,
            "does not hold plain numbers",
            None,
            "*A",
        ),
        ("scale(this, A, by = 2, n = 100) setup(make)", MAKE, "no member function", None, "this"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_where_it_stands(
    pragma: str, functions: str, message: str, hint: str | None, place: str
) -> None:
    with pytest.raises(SourceError) as caught:
        read(pragma, functions)
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert hint is None or (diagnostic.hint is not None and hint in diagnostic.hint)
    assert diagnostic.span is not None and diagnostic.span.text == place


def test_a_kernel_of_which_nothing_is_compared_is_refused() -> None:
    kernel = "struct hidden; void look(const struct hidden *h) { (void)h; }"
    with pytest.raises(SourceError) as caught:
        read("look(h) setup(make)", "struct hidden; void make(struct hidden **h);", kernel)
    assert "cannot be checked" in caught.value.diagnostics[0].message
    assert "`h->values: inout double[LENGTH]`" in str(caught.value.diagnostics[0].hint)
