"""What the C frontend reads out of an annotated source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import ArrayArgument, CKernel, ScalarArgument
from tunepass.ir.kernel import Kernel
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real

ISSUE_EXAMPLE = """\
#pragma tunepass param TILE: ordinal(8, 16, 32, 64, 128, 256) = 32 log prior(gaussian)
#pragma tunepass param UNROLL: integer(1..8) = 1
#pragma tunepass param OPT: categorical("-O2", "-O3", "-O3 -ffast-math") = "-O2" flag
#pragma tunepass constraint TILE % UNROLL == 0
#pragma tunepass kernel matmul(n = 512, A: in double[n*n], B: in double[n*n], C: inout double[n*n]) tolerance(1e-9)
void matmul(int n, const double *A, const double *B, double *C) { C[0] = A[TILE] * B[UNROLL] + n; }
"""
TAIL = "#pragma tunepass kernel f(y: out double[8])\nvoid f(double *y) { y[0] = P; }\n"


def parse(text: str, name: str = "t.c") -> Parsed:
    return CFrontend().parse(Source(name, text))


def kernel(text: str, name: str = "t.c") -> Kernel:
    return parse(text, name).kernels[0]


def parameter(pragma: str) -> object:
    return kernel(f"#pragma tunepass param P: {pragma}\n{TAIL}").parameters[0]


def test_a_whole_source() -> None:
    k = kernel(ISSUE_EXAMPLE)
    assert (k.name, k.language) == ("matmul", "c")
    assert k.parameters == (
        Ordinal("TILE", [8, 16, 32, 64, 128, 256], log=True, default=32, prior="gaussian"),
        Integer("UNROLL", 1, 8, default=1),
        Categorical("OPT", ["-O2", "-O3", "-O3 -ffast-math"], default="-O2"),
    )
    assert [k.binding(p.name).role for p in k.parameters] == ["macro", "macro", "flag"]
    assert [str(c) for c in k.constraints] == ["TILE % UNROLL == 0"]
    assert k.constraints[0].span is not None and (k.constraints[0].span.line, k.constraints[0].span.column) == (4, 29)


def test_the_call() -> None:
    call = kernel(ISSUE_EXAMPLE).body_as(CKernel).call
    assert call is not None
    assert call.prototype == "void matmul(int n, const double *A, const double *B, double *C)"
    n, a, _, c = call.arguments
    assert isinstance(n, ScalarArgument) and (n.element, to_text(n.value)) == ("int", "512")
    assert isinstance(a, ArrayArgument) and (a.element, a.direction, to_text(a.length)) == ("double", "in", "n * n")
    assert isinstance(c, ArrayArgument) and c.direction == "inout"
    assert (call.relative_tolerance, call.absolute_tolerance) == (1e-9, None)


@pytest.mark.parametrize(
    "pragma,expected",
    [
        ("ordinal(1..4)", Ordinal("P", [1, 2, 3, 4])),
        ("ordinal(1, 4..8 step 2, 16)", Ordinal("P", [1, 4, 6, 8, 16])),
        ("ordinal(1, pow2(8, 32))", Ordinal("P", [1, 8, 16, 32])),
        ("ordinal(-2, 0.5, 1e3)", Ordinal("P", [-2.0, 0.5, 1000.0])),
        ("ordinal(0.1..0.3 step 0.1)", Ordinal("P", [0.1, 0.2, 0.3])),
        ("integer(-4..8 step 4) = 0 prior(2, 5)", Integer("P", -4, 8, step=4, default=0, prior=(2.0, 5.0))),
        ("integer(pow2(1, 4))", Ordinal("P", [1, 2, 4])),
        ("pow2(1, 4) = 2 log", Ordinal("P", [1, 2, 4], default=2, log=True)),
        ("real(0.5..8) = 1 log prior(decay)", Real("P", 0.5, 8.0, default=1.0, log=True, prior="decay")),
        ('categorical("a", "b") = "b" prior(1, 3)', Categorical("P", ["a", "b"], default="b", prior=[1, 3])),
        ("categorical(true, false) = false", Categorical("P", [True, False], default=False)),
        ("categorical(4, 2) = 2", Categorical("P", [4, 2], default=2)),
        ("integer(0x10..0x20)  // a comment", Integer("P", 16, 32)),
        ("integer(1..2) /* a comment */ = 2", Integer("P", 1, 2, default=2)),
    ],
)
def test_parameters(pragma: str, expected: object) -> None:
    assert parameter(pragma) == expected


def test_permutations_are_used_by_the_position_of_their_items() -> None:
    text = "#pragma tunepass param P: permutation(i, j, k) = (k, i, j) prior([1, 2, 3], [1, 1, 1], [3, 2, 1])\n" + TAIL
    with pytest.raises(SourceError, match="no code uses `P_i`"):
        parse(text)
    k = kernel(text.replace("= P;", "= P_i < P_j;"))
    rows = [[1, 2, 3], [1, 1, 1], [3, 2, 1]]
    assert k.parameters == (Permutation("P", ["i", "j", "k"], default=("k", "i", "j"), prior=rows),)


@pytest.mark.parametrize(
    "define,pragma,expected",
    [
        ("8", "integer(1..16)", 8),
        ("(1 << 3)", "integer(1..16)", 8),
        ("8u /* wide */", "ordinal(4, 8)", 8),
        ("0.5f", "real(0..1)", 0.5),
        ("-3", "integer(-4..4)", -3),
        ("dynamic", 'categorical("static", "dynamic")', "dynamic"),
        ("1", "categorical(false, true)", True),
    ],
)
def test_a_missing_default_is_the_sources_own(define: str, pragma: str, expected: object) -> None:
    guard = f"#ifndef P\n#define P {define}\n#endif\n"
    assert kernel(f"#pragma tunepass param P: {pragma}\n{guard}{TAIL}").parameters[0].default == expected


def test_a_default_that_disagrees_is_a_warning_at_the_define() -> None:
    guard = "#if !defined(P)\n#define P 8\n#endif\n"
    parsed = parse(f"#pragma tunepass param P: integer(1..16) = 4\n{guard}{TAIL}")
    assert parsed.kernels[0].parameters[0].default == 4
    assert [str(w).splitlines()[0] for w in parsed.warnings] == [
        "t.c:3:9: warning: the default of `P` is 4 in its pragma and 8 here"
    ]


def test_a_define_that_is_no_value_needs_a_default_in_the_pragma() -> None:
    guard = "#ifndef P\n#define P sizeof(int)\n#endif\n"
    with pytest.raises(SourceError, match="is not a value tunepass can read"):
        parse(f"#pragma tunepass param P: integer(1..16)\n{guard}{TAIL}")
    assert parse(f"#pragma tunepass param P: integer(1..16) = 4\n{guard}{TAIL}").warnings == ()


def test_a_constraint_that_the_default_violates_is_a_warning() -> None:
    parsed = parse(f"#pragma tunepass param P: integer(1..16) = 3\n// tunepass: constraint P % 2 == 0\n{TAIL}")
    assert [str(w).splitlines()[0] for w in parsed.warnings] == [
        "t.c:2:25: warning: the default configuration violates this"
    ]


@pytest.mark.parametrize("name", ["SCALE", "scale_double"])
def test_a_function_of_an_included_file_is_told_with_the_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "scale.inc").write_text("void SCALE(double *x) { x[0] *= U; }\n")
    text = f"#pragma tunepass param U: integer(1..2) = 1\n#pragma tunepass kernel {name}(x: inout double[8])\n"
    text += '#define SCALE scale_double\n#include "scale.inc"\n'
    with pytest.raises(SourceError, match=f"`{name}` is defined in `.*scale.inc`, not in this file"):
        CFrontend().parse(Source("k.c", text), words=(f"-I{tmp_path}",))


def test_an_included_file_may_use_a_macro(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("\n")
    text = '#include "other.h"\n#pragma tunepass param Q: integer(1..2)\n' + TAIL
    parsed = CFrontend().parse(Source("t.c", text), words=(f"-I{tmp_path}",))
    assert [w.message for w in parsed.warnings] == ["no code in this file uses `Q`"]


def test_several_kernels_take_the_params_before_them() -> None:
    text = (
        "#pragma tunepass param A: integer(1..2)\n#pragma tunepass kernel f(y: out double[8])\n"
        "void f(double *y) { y[0] = A; }\n"
        "#pragma tunepass kernel g(y: out double[8])\nvoid g(double *y) { y[0] = B + C; }\n"
        "#pragma tunepass param B: integer(1..2)\n#pragma tunepass param C: integer(1..2)\n"
    )
    assert [(k.name, [p.name for p in k.parameters]) for k in parse(text).kernels] == [("f", ["A"]), ("g", ["B", "C"])]


def test_index_arrays_and_tolerances() -> None:
    text = """\
#pragma tunepass param P: integer(1..8)
#pragma tunepass kernel f(n = 2**10, m = n // 2, a = 1.5, row: in int[n + 1] fill(min(i * 4, m)), \\
    col: in unsigned int[m] range(0, n - 1), y: out float[n]) tolerance(1e-3, 1e-5)
void f(int n, long m, double a, const int *row, const unsigned *col, float y[])
{ y[0] = P + n + m + a + row[0] + col[0]; }
"""
    call = kernel(text).body_as(CKernel).call
    assert call is not None
    _, m, _, row, col, _ = call.arguments
    assert isinstance(m, ScalarArgument) and (m.element, to_text(m.value)) == ("long", "n // 2")
    assert isinstance(row, ArrayArgument) and row.fill is not None and to_text(row.fill) == "min(i * 4, m)"
    assert isinstance(col, ArrayArgument) and col.lo is not None and col.hi is not None
    assert (col.element, to_text(col.lo), to_text(col.hi)) == ("unsigned int", "0", "n - 1")
    assert (call.relative_tolerance, call.absolute_tolerance) == (1e-3, 1e-5)


def test_a_tolerance_that_is_not_stated_is_left_to_rounding() -> None:
    text = "#pragma tunepass param P: integer(1..2)\n#pragma tunepass kernel f(y: out float[8])\n"
    call = kernel(text + "void f(float *y) { y[0] = P; }\n").body_as(CKernel).call
    assert call is not None and (call.relative_tolerance, call.absolute_tolerance) == (None, None)


def test_run() -> None:
    text = (
        "#pragma tunepass param P: integer(1..2)\nint main(void) { return P; }\n"
        '#pragma tunepass run "./a.out \'a b\' 512" metric "time: {time} ms" '
        'metric "rate={rate}" maximise unit("GB/s") metric "{share}% of peak" maximise\n'
    )
    k = kernel(text, "some/n-body.cpp")
    assert (k.name, k.language) == ("n_body", "c++")
    run = k.body_as(CKernel).run
    assert run is not None and run.arguments == ("./a.out", "a b", "512")
    assert [(m.objective, m.unit, m.maximise) for m in run.metrics] == [
        ("time", "ms", False),
        ("rate", "GB/s", True),
        ("share", "%", True),
    ]


@pytest.mark.parametrize(
    "guard",
    [
        "#if SMALL && !defined P\n#define P 2\n#endif\n#ifndef P\n#define P 8\n#endif\n",
        "#ifdef P\n#else\n#define P 8\n#endif\n",
        "#if !defined(P) && (SMALL > 1)\n#define P 8\n#endif\n",
    ],
)
def test_a_definition_that_is_never_compiled_with_the_macro_given_is_guarded(guard: str) -> None:
    assert kernel(f"#pragma tunepass param P: integer(1..16) = 4\n{guard}{TAIL}").parameters[0].default == 4


@pytest.mark.parametrize("condition", ["SMALL || !defined P", "SMALL", "defined P"])
def test_one_that_may_be_compiled_is_not(condition: str) -> None:
    with pytest.raises(SourceError, match="without `#ifndef`"):
        kernel(f"#pragma tunepass param P: integer(1..16) = 4\n#if {condition}\n#define P 8\n#endif\n{TAIL}")


def test_one_guard_may_serve_several_parameters() -> None:
    guard = "#ifndef P\n#define P 2\n#define Q 3\n#endif\n"
    pragmas = "#pragma tunepass param P: integer(1..4)\n#pragma tunepass param Q: integer(1..4)\n"
    k = kernel(pragmas + guard + TAIL.replace("= P", "= P + Q"))
    assert [p.default for p in k.parameters] == [2, 3]


def test_the_default_of_a_permutation_is_where_its_macros_say() -> None:
    guard = "#ifndef P_i\n#define P_i 2\n#define P_j 0\n#define P_k 1\n#endif\n"
    text = f"#pragma tunepass param P: permutation(i, j, k)\n{guard}{TAIL}".replace("= P;", "= P_i < P_j + P_k;")
    assert kernel(text).parameters[0].default == ("j", "k", "i")
    with pytest.raises(SourceError, match="`P_i` is defined here without `#ifndef`"):
        parse(text.replace("#ifndef P_i\n", "").replace("#endif\n", ""))


SIZES = """
#define N 1024
#define M (N / 2u)
enum { PLANES = 3, LAST };
static const int depth = 2 * PLANES;
#define TWICE(x) (2 * (x))
#define SCALED (P * N)
#if P > 2
#define ROWS 8
#else
#define ROWS 16
#endif
"""
KNOWN = """#pragma tunepass param P: ordinal(1, 2, 4) = 2
#pragma tunepass kernel f(n = N, x: inout double[{length}])
#include "sizes.h"
{own}
void f(int n, double *x) {{ for (int i = 0; i < n; i++) x[i] += P; }}
"""


@pytest.mark.parametrize(
    "length,words,number",
    [
        ("N", (), 1024),
        ("M + 1", (), 513),
        ("N * PLANES + LAST", (), 3076),
        ("depth", (), 6),
        ("GIVEN", ("-DGIVEN=7",), 7),
        ("n * M", (), 524288),
        ("SCALED", (), None),
        ("ROWS", (), None),
        ("TWICE", (), None),
        ("GIVEN", (), None),
    ],
)
def test_numbers_of_headers_and_of_the_compilers_words_are_known(
    tmp_path: Path, length: str, words: tuple[str, ...], number: int | None
) -> None:
    (tmp_path / "sizes.h").write_text(SIZES)
    source = Source(str(tmp_path / "k.c"), KNOWN.format(length=length, own=""))
    if number is None:
        with pytest.raises(SourceError, match="unknown name"):
            CFrontend().parse(source, words=words)
        return
    call = CFrontend().parse(source, words=words).kernels[0].body_as(CKernel).call
    assert call is not None and isinstance(call.arguments[1], ArrayArgument)
    assert constant_value(call.arguments[1].length, {"n": 1024}) == number


def test_a_number_that_a_parameter_decides_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define N 8\n")
    own = "#if P > 2\n#define ROWS 8\n#else\n#define ROWS 16\n#endif"
    source = Source(str(tmp_path / "k.c"), KNOWN.format(length="ROWS", own=own))
    with pytest.raises(SourceError, match="unknown name"):
        CFrontend().parse(source)


NAMED = "#pragma tunepass param U: integer(1..2) = 1\n#pragma tunepass kernel {name}(x: inout float[8])\n{function}\n"


@pytest.mark.parametrize("name", ["CNAME", "sdot_k"])
def test_a_function_is_named_as_the_source_writes_it_or_after_macros(name: str) -> None:
    text = NAMED.format(name=name, function="void CNAME(float *x) { x[0] += U; }")
    parsed = CFrontend().parse(Source("k.c", text), words=("cc", "-DCNAME=PASTE(s, _k)", "-DPASTE(a, b)=a##dot##b"))
    call = parsed.kernels[0].body_as(CKernel).call
    assert call is not None and call.function == parsed.kernels[0].name == "sdot_k"


@pytest.mark.parametrize("name", ["operator<", "operator bool", "Vec::operator,"])
def test_an_operator_that_cannot_be_named_is_refused_at_its_word(name: str) -> None:
    text = NAMED.format(name=name, function="bool operator<(Vec a, Vec b) { return U; }")
    with pytest.raises(SourceError, match="such an operator cannot be named here") as raised:
        CFrontend().parse(Source("k.cpp", text))
    span = raised.value.diagnostics[0].span
    assert span is not None and text[span.start : span.end] == "operator"
