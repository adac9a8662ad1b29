"""What cannot be taken apart is refused with one diagnostic: where, what, and what to do."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import FORMALS, PRAGMA, nest, scop_of
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend

NESTS = {
    # The nest, what is underlined, the message.
    "for (i = 0; i < n; i++) { if (x[i] > 0) break; x[i] = 0; }": ("break;", "`break` leaves the loop over `i`"),
    "for (i = 0; i < n; i++) { if (i) { if (x[i] > 0) continue; y[i] = 1; } x[i] = 0; }": (
        "continue;", "`continue` leaves the loop over `i`"),
    "for (i = 0; i < n; i++) { if (x[i] > 0) return; x[i] = 0; }": ("return;", "`return` leaves the loop over `i`"),
    "for (i = 0; i < n; i++) { again: x[i] = 0; goto again; }": ("again:", "there is a label in the loop over `i`"),
    "while (i < n) i++;": ("while", "`while` is not a loop over an index"),
    "do x[0] = 1; while (n);": ("do", "`do` is not a loop over an index"),
    "for (;;) x[0] = 0;": ("for (;;)", "this loop does not set one index to where it starts"),
    "for (i = 0, j = 0; i < n; i++, j += 2) x[j++] = 0;": (
        "for (i = 0, j = 0; i < n; i++, j += 2)", "this loop does not set one index to where it starts"),
    "for (x[0] = 0; i < n; i++) x[i] = 0;": (
        "for (x[0] = 0; i < n; i++)", "this loop does not set one index to where it starts"),
    "for (i = 0; i < n; i *= 2) x[i] = 0;": ("for (i = 0; i < n; i *= 2)", "this loop does not step `i` by a constant"),
    "for (i = 0; i < n; i += m) x[i] = 0;": ("for (i = 0; i < n; i += m)", "this loop's step is not a constant"),
    "for (i = 0; i < n; i += 0) x[i] = 0;": ("for (i = 0; i < n; i += 0)", "a step is 1 to 1024, got 0"),
    "for (i = 0; i < n; j++) x[i] = 0;": ("for (i = 0; i < n; j++)", "this loop does not step `i` by a constant"),
    "for (i = 1; j < n; j++, i++) x[i] = j;": (
        "for (i = 1; j < n; j++, i++)", "this loop sets `i`, which its condition does not name"),
    "for (i = 0; i < n; i--) x[i] = 0;": (
        "for (i = 0; i < n; i--)", "this loop steps away from its end, or its condition does not name `i`"),
    "for (i = 0; n; i++) x[i] = 0;": ("for (i = 0; n; i++)", "this loop's condition is not a bound of `i`"),
    "for (i = 0; i < x[0]; i++) x[i] = 0;": (
        "for (i = 0; i < x[0]; i++)", "a bound of `i` depends on data or is not affine"),
    "for (i = 0; i < size(); i++) x[i] = 0;": (
        "for (i = 0; i < size(); i++)", "a bound of `i` depends on data or is not affine"),
    "for (i = 0; i != n; i += 2) x[i] = 0;": (
        "for (i = 0; i != n; i += 2)", "`!=` with a step of 2 may never be met"),
    "for (i = 0; i < n; i++) { n = 3; x[i] = 0; }": (
        "for (i = 0; i < n; i++)", "a bound of `i` depends on data or is not affine"),
    "for (i = x[0]; i < n; i++) x[i] = 0;": (
        "for (i = x[0]; i < n; i++)", "where `i` starts depends on data or is not affine"),
    "for (i = 0; i < n; i++) { i = 2 * i; x[i] = 0; }": (
        "for (i = 0; i < n; i++)", "the index `i` is changed inside its loop"),
    "for (i = 0; i < n; i++) scanf(\"%d\", &i);": (
        "for (i = 0; i < n; i++)", "the index `i` is changed inside its loop"),
    "for (float f = 0; f < n; f++) x[0] = 0;": (
        "for (float f = 0; f < n; f++)", "`f` is no whole number that can be an index"),
    "for (unsigned u = n; u >= 0; u--) x[u] = 0;": (
        "for (unsigned u = n; u >= 0; u--)", "an unsigned index that counts down cannot be read"),
    "for (i = 0; i < n; i++) {\n#pragma omp for\n for (j = 0; j < n; j++) x[j] = 0; }": (
        "#pragma omp for", "`#pragma omp for` is a part of what the loops do"),
    "\n#pragma omp for\nfor (i = 0; i < n; i++) x[i] = 0;": (
        "#pragma omp for", "`#pragma omp for` is a part of what the loops do"),
    "for (i = 0; i < n; i++) {\n#define A 1\n x[i] = A;\n }": (
        "#define A", "`#define` inside loops that are written anew"),
    "for (i = 0; i < n; i++ x[i] = 0;": ("(", "`(` is not closed"),
    "for (i = 0; i < n; i++) x[i] = (0;": (";", "expected `)` before `;`"),
    "x[0] = 1;": (PRAGMA, "there is no loop after this pragma"),
    "": (PRAGMA, "expected a loop inside a function after this pragma"),
    "#pragma scop\nfor (i = 0; i < n; i++) x[i] = 0;": ("#pragma scop", "this `#pragma scop` has no `#pragma endscop`"),
    "#pragma scop\nfor (i = 0; i < n; i++) x[i] = 0; x[i] = 1;\n#pragma endscop": (
        "i", "the index `i` is read outside of its loop"),
    "#pragma scop\nint t; for (i = 0; i < n; i++) x[i] = 0;\n#pragma endscop": (
        "int t;", "a declaration between the pragma's loops"),
}  # fmt: skip


@pytest.mark.parametrize("body", NESTS)
def test_a_nest_that_cannot_be_taken_apart(body: str) -> None:
    marked, message = NESTS[body]
    with pytest.raises(SourceError) as caught:
        nest(body)
    (problem,) = caught.value.diagnostics
    assert problem.message.startswith(message)
    assert problem.span is not None
    assert problem.span.text.startswith(marked)
    assert problem.hint or "before" in message or message.endswith("is not closed")


def refused(text: str) -> str:
    with pytest.raises(SourceError) as caught:
        scop_of(text)
    (problem,) = caught.value.diagnostics
    return problem.message


@pytest.mark.parametrize("use", ["LOOP", "{ TWO }"])
def test_macros_that_hold_whole_loops(use: str) -> None:
    loop = "for (i = 0; i < n; i++) x[i] = 0;"
    macros = f"#define LOOP {loop}\n#define TWO x[0] = 1; {loop}\n"
    text = f"{macros}void f({FORMALS}) {{ int i;\n#pragma scop\n{PRAGMA}\n{use}\n#pragma endscop\n}}"
    assert refused(text) == f"macro `{use.strip('{ }')}` makes a loop together with its body"


def test_code_that_the_compiler_does_not_see() -> None:
    text = f"void f({FORMALS}) {{\n{PRAGMA}\n#ifdef NEVER\nfor (int i = 0; i < n; i++) x[i] = 0;\n#endif\n}}"
    assert refused(text) == "the compiler does not see what follows this pragma"


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = " + "(" * 5000 + "1" + ")" * 5000 + ";",
        "x[i] = " + "1 + " * 20000 + "1;",
        "x[i] = " + "-" * 5000 + "1;",
        "x[i] = " + "y[" * 5000 + "i" + "]" * 5000 + ";",
        "{" * 5000 + "x[i] = 0;" + "}" * 5000,
        "if (n) " * 5000 + "x[i] = 0;",
        "x[i] = " + "n ? 1 : " * 5000 + "2;",
        "x[" + "(i/2+" * 60 + "i" + ")/2" * 60 + "] = 0;",
        "x[" + "M(" * 60 + "i" + ")" * 60 + "] = 0;",
        "x[i] = " + "BIG(" * 30 + "i" + ")" * 30 + ";",
        "x[i] = " + "y" + "[0]" * 5000 + ";",
        "x[i] = (int (int (int" * 3000 + ";",
        "struct {" * 5000,
    ],
)  # fmt: skip
@pytest.mark.slow_but(3)
def test_hostile_nesting_is_read_or_refused_soon(body: str) -> None:
    macros = "#define M(a) ((a) < n ? (a) : n)\n#define BIG(a) a a a a\n"
    try:
        scop_of(f"{macros}void f({FORMALS}) {{ int i;\n{PRAGMA}\nfor (i = 0; i < n; i++) {body}\n}}")
    except SourceError as error:
        assert len(error.diagnostics) == 1


@pytest.mark.parametrize("pragma", ["omp parallel for", "omp for private(i)", "omp simd", "GCC ivdep"])
def test_a_pragma_of_the_loop_stands_behind_ours(pragma: str) -> None:
    text = f"void f(int n, double *x) {{ int i;\n#pragma {pragma}\n#pragma tunepass loop auto\nLOOP\n}}\n"
    loop = "for (i = 0; i < n; i++) x[i] = 0;"
    kernel = "#pragma tunepass kernel f(n = 9, x: out double[n])\n"
    with pytest.raises(SourceError, match="is about a loop that is written anew") as caught:
        CFrontend().parse(Source("k.c", kernel + text.replace("LOOP", loop)))
    (problem,) = caught.value.diagnostics
    assert problem.span is not None and problem.span.text == f"#pragma {pragma}"
    for between in ("#pragma omp barrier", "#pragma GCC diagnostic push", "n++;"):
        CFrontend().parse(Source("k.c", kernel + text.replace(f"#pragma {pragma}", between).replace("LOOP", loop)))


def test_a_pragma_that_is_left_out_of_the_source_does_not_matter() -> None:
    own = "#ifdef _OPENMP\n#pragma omp for\n#endif"
    text = f"void f(int n, double *x) {{\n{PRAGMA}\n{own}\nfor (int i = 0; i < n; i++) {{\n{own}\nx[i] = 0; }}\n}}\n"
    assert [statement.text for statement in scop_of(text).statements] == ["x[i] = 0;"]
