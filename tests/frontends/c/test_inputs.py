"""What a kernel may be called with besides the size that it is tuned at, from its pragma or from its arguments."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.call.inputs import element_count
from tunepass.frontends.c.call.requirements import sizes_allowed
from tunepass.frontends.c.call.sizes import further_sizes, sizes_of_call
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.pragmas.models import scalar_values
from tunepass.ir.c_kernel import ArrayArgument, CKernel, KernelCall
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration


def kernel_of(arguments: str, formals: str, clauses: str = "", constraint: str = "T > 0") -> Kernel:
    text = (
        f"#pragma tunepass param T: ordinal(1, 8, 32) = 1\n#pragma tunepass constraint {constraint}\n"
        f"#pragma tunepass kernel f({arguments}) {clauses}\nvoid f({formals}) {{ y[0] = T; }}\n"
    )
    return CFrontend().parse(Source("f.c", text)).kernels[0]


def call_of(arguments: str, formals: str, clauses: str = "") -> KernelCall:
    call = kernel_of(arguments, formals, clauses).body_as(CKernel).call
    assert call is not None
    return call


@pytest.mark.parametrize(
    "arguments,formals,sizes",
    [
        ("n = 1000, y: out int[n]", "int n, int *y", [{"n": 999}, {"n": 1}, {"n": 7}, {"n": 37}]),
        ("n = 8, y: out int[n]", "int n, int *y", [{"n": 7}, {"n": 1}]),
        ("y: out int[2 * n], n = 8", "int *y, int n", [{"n": 7}, {"n": 1}]),  # the length stands after its array
        ("n = 1, y: out int[n]", "int n, int *y", []),
        ("y: out int[512]", "int *y", []),  # nothing varies
        ("n = 512, y: out int[512]", "int n, int *y", []),
        ("n = 512, a = 2.5, y: out int[n]", "int n, double a, int *y", [{"n": s} for s in (511, 1, 7, 37)]),
        (
            "n = 512, m = 512, k = 300, x: in int[n * m], y: out int[m * k]",
            "int n, int m, int k, int *x, int *y",
            [{"n": a, "m": a, "k": b} for a, b in ((255, 147), (1, 1), (7, 5), (37, 35))],
        ),
        ("n = 512, m = 4 * n, y: out int[m]", "int n, int m, int *y", [{"n": s} for s in (511, 1, 7, 37)]),
        ("n = 512, y: out int[n - 36]", "int n, int *y", [{"n": 511}, {"n": 37}]),  # no array has length 0 or less
    ],
)
def test_whole_numbers_that_decide_lengths_vary(arguments: str, formals: str, sizes: list[dict[str, int]]) -> None:
    """The sizes that are always tried; test_sizes.py has the others."""
    further = sizes_of_call(call_of(arguments, formals))
    always = [*further.sizes[: further.basic], *further.sizes[-1:]]
    assert [dict(size) for size in always] == sizes


def test_the_pragma_names_the_sizes_the_overlaps_and_the_values() -> None:
    call = call_of(
        "n = 64, a = 2.5, x: in int[n], y: inout int[n]",
        "int n, double a, int *x, int *y",
        "sizes(n = 65, 3, a = 0, -1.5) aliasing(x, y) finite(false) tolerance(1e-3)",
    )
    assert further_sizes(call) == ((("n", 65), ("a", 0)), (("n", 3), ("a", -1.5)))
    assert (call.pairs, call.finite, call.relative_tolerance) == ((("x", "y"),), False, 1e-3)
    call = call_of("n = 64, y: out int[n]", "int n, int *y", "sizes() finite")
    assert (further_sizes(call), call.finite, call.pairs) == ((), True, ())


@pytest.mark.parametrize(
    ("arrays", "formals", "shared"),
    [
        ("x: in int[4], y: in int[4], z: out int[4]", "int *x, int *y, int *z", (("x", "y"),)),
        ("x: in int[4], y: in int[8], z: out int[4]", "int *x, int *restrict y, int *z", ()),
        ("x: in int[4], y: in float[4], z: out int[4]", "int *x, float *y, int *z", ()),
        ("x: in int[4], y: in int[4] fill(i), z: out int[4]", "int *x, int *y, int *z", ()),
        ("x: in int[4], y: in int[4] range(0, 3), z: out int[4]", "int *x, int *y, int *z", ()),
    ],
)
def test_inputs_that_may_be_one_array(arrays: str, formals: str, shared: tuple[tuple[str, str], ...]) -> None:
    assert call_of(arrays, formals).shared == shared


@pytest.mark.parametrize("constraint", ["512 % T == 0", "n % T == 0", "T <= 8 and 512 // T * T == n"])
def test_constraints_say_at_which_sizes_a_configuration_has_to_be_right(constraint: str) -> None:
    kernel = kernel_of("n = 512, y: out int[n]", "int n, int *y", "sizes(n = 511, 1, 520)", constraint)
    call = kernel.body_as(CKernel).call
    assert call is not None
    allowed = sizes_allowed(kernel, further_sizes(call))
    assert [list(allowed(Configuration({"T": t}))) for t in (1, 8)] == [[1, 2, 3], [3]]
    assert str(kernel.constraints[0].expression.type) == "Bool" and [n.name for n in kernel.constraints[0].names] == [
        "T"
    ]


def test_a_constraint_says_which_value_a_scalar_has() -> None:
    kernel = kernel_of("n = 64, k = 3, y: out int[n]", "int n, int k, int *y", "", "T == 1 or k == 3")
    call = kernel.body_as(CKernel).call
    assert call is not None
    sizes = further_sizes(call)
    other = {number for number, size in enumerate(sizes, 1) if dict(size).get("k", 3) != 3}
    allowed = sizes_allowed(kernel, sizes)
    assert other and other < set(allowed(Configuration({"T": 1})))
    assert other.isdisjoint(allowed(Configuration({"T": 8})))


def test_macros_that_are_numbers_may_be_lengths_and_values() -> None:
    """Not those that a parameter or the command line sets."""
    text = (
        "#define ROWS 30\n#define N (2 * ROWS)\n#define M 5\n#undef M\n#define M 6\n#define T 1\n"
        "#pragma tunepass param T: ordinal(1, 8) = 1\n"
        "#pragma tunepass kernel f(n = N, x: in int[N][ROWS] range(0, N - 1), y: out int[n])\n"
        "void f(int n, const int *x, int *y) { y[0] = x[0] + T; }\n"
    ).replace("#define T 1", "#ifndef T\n#define T 1\n#endif")
    call = CFrontend().parse(Source("f.c", text)).kernels[0].body_as(CKernel).call
    assert call is not None and scalar_values(call) == {"n": 60}
    lengths = [constant_value(a.length, {"n": 60}) for a in call.arguments if isinstance(a, ArrayArgument)]
    assert lengths == [1800, 60]
    for problem, words in (("[T]", ()), ("[M]", ()), ("[N]", ("-DROWS=4",))):
        with pytest.raises(SourceError, match="unknown name"):
            CFrontend().parse(Source("f.c", text.replace("[N]", problem)), words=words)


@pytest.mark.parametrize(
    ("formal", "stated"),
    [
        ("const uint8_t *x", "unsigned char"),
        ("const unsigned char *x", "uint8_t"),
        ("const int8_t *x", "signed char"),
        ("const int16_t (*x)[8]", "short"),
        ("const unsigned *x", "uint32_t"),
        ("const uint64_t *x", "unsigned long"),
        ("const long long *x", "int64_t"),
        ("const size_t *x", "unsigned long"),
    ],
)
def test_elements_may_be_named_as_the_standard_headers_name_them(formal: str, stated: str) -> None:
    """What is made is of the definition's type."""
    call = call_of(f"x: in {stated}[8], y: out int[1]", f"{formal}, int *y")
    (element, _) = [a.element for a in call.arguments if isinstance(a, ArrayArgument)]
    assert element in formal or element == "unsigned int"


@pytest.mark.parametrize(("formal", "stated"), [("char *x", "int8_t"), ("int *x", "uint32_t"), ("short *x", "int32_t")])
def test_elements_of_other_types_are_refused(formal: str, stated: str) -> None:
    with pytest.raises(SourceError, match=f"is an array of {formal.split()[0]}, not {stated}"):
        call_of(f"x: in {stated}[8], y: out int[1]", f"{formal}, int *y")


def test_a_macro_may_divide_whole_numbers() -> None:
    text = (
        '#define QK 32\n#pragma tunepass param O: categorical("-O1", "-O2") flag\n'
        "#pragma tunepass kernel sums(k = 4096, y: out int[k // QK])\nvoid sums(int k, int *y) { y[0] = k; }\n"
    )
    call = CFrontend().parse(Source("f.c", text)).kernels[0].body_as(CKernel).call
    assert call is not None and element_count(call.arguments) == 128
