"""When the frontend asks the compiler for types, and what it says where the compiler tells none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.types import reading
from tunepass.frontends.cfamily.types.ask import Ask, Failure, TypeAnswer
from tunepass.ir.c_kernel import ArrayArgument, CKernel, Leaf, ScalarArgument

HEAD = "#include <time.h>\n#pragma tunepass param P: integer(0..1) = 0\n"


def parsed(kernel: str, code: str, head: str = HEAD, name: str = "k.c") -> Parsed:
    return CFrontend().parse(Source(name, f"{head}#pragma tunepass kernel {kernel}\n{code}\n"))


def arguments(read: Parsed) -> Sequence[object]:
    call = read.kernels[0].body_as(CKernel).call
    assert call is not None
    return call.arguments


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The names of each question that the compiler gets."""
    found: list[tuple[str, ...]] = []
    ask_compiler = reading.read_types

    def read(*words: object) -> TypeAnswer:
        found.extend(word.names for word in words if isinstance(word, Ask))
        return ask_compiler(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "read_types", read)
    return found


PLAIN = [
    ("f(n = 4, x: inout double[n][n])", "void f(int n, double x[n][n]) { x[P][0] = 1; }"),
    ("f(n = 4, x: inout uint32_t[n])", "#include <stdint.h>\nvoid f(size_t n, uint32_t *x) { x[P] = 1; }"),
    (
        "f(n = 4, x: inout pair[n])",
        "typedef struct { float a, b[3]; enum { U, V } k; } pair;\nvoid f(int n, pair *x) { x[P].a = 1; }",
    ),
]


@pytest.mark.parametrize("kernel,code", PLAIN, ids=["numbers", "standard types", "struct"])
def test_types_that_the_text_settles_cost_no_compile(kernel: str, code: str, asked: list[tuple[str, ...]]) -> None:
    parsed(kernel, code)
    assert asked == []


def test_one_compile_answers_all_and_is_remembered(asked: list[tuple[str, ...]]) -> None:
    code = "static clock_t now;\nvoid f(time_t t, struct timespec *x) { x[P].tv_sec = t; now = P; }"
    for _ in range(2):
        t, x = arguments(parsed("f(t = 3, x: inout struct timespec[1])", f"{code}\nclock_t get() {{ return now; }}"))
    assert asked == [("time_t", "struct timespec", "clock_t")]
    assert isinstance(t, ScalarArgument) and t.element == "long"
    assert isinstance(x, ArrayArgument)
    assert x.leaves == (Leaf(".tv_sec", "long", offset=0), Leaf(".tv_nsec", "long", offset=8))


def test_a_struct_that_depends_on_a_parameter_has_its_default(asked: list[tuple[str, ...]]) -> None:
    head = "#include <time.h>\n#pragma tunepass param N: ordinal(2, 5) = 5\n#ifndef N\n#define N 2\n#endif\n"
    code = "struct s { struct timespec t[N]; };\nvoid f(struct s *x) { x->t[0].tv_sec = N; }"
    (x,) = arguments(parsed("f(x: out struct s[1])", code, head))
    assert isinstance(x, ArrayArgument) and len(x.leaves) == 10 and len(asked) == 1


def test_a_compiler_that_tells_nothing_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = TypeAnswer({}, {}, None, (), Failure("no debug data in this object"))
    monkeypatch.setattr(reading, "read_types", lambda *words: failed)
    code = "void f(clock_t t, double *x) { x[P] = t + 1; }"
    (warning,) = parsed("f(t = 3, x: out double[1])", code).warnings
    assert warning.message == "`clock_t`, the type of `t`, is not known: it is taken for a number's"
    assert warning.hint == "the compiler does not tell its types: no debug data in this object"
    assert warning.span is not None and warning.span.line == 3


def test_elements_that_only_the_compiler_knows_are_refused_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = TypeAnswer({}, {}, None, (), Failure("cannot run cc", None, None))
    monkeypatch.setattr(reading, "read_types", lambda *words: failed)
    with pytest.raises(SourceError, match="`struct timespec`, the type of the elements of `t`, is not known"):
        parsed("f(t: in struct timespec[2], x: out double[1])", "void f(struct timespec *t, double *x) { x[P] = 1; }")


REFUSED = [
    ("f(g = abz, x: out double[1])", "void f(int (*g)(int), double *x) { x[P] = g(1); }", "`abz`, what `g` is given"),
    ("f(x: inout struct tm[1])", "void f(struct tm *x) { x->tm_sec = P; }", "`x` cannot be filled: tm_zone"),
    ("f(p: inout struct tm[1])", "void f(struct tm p) { p.tm_sec = P; }", "cannot be filled"),
    ("f(s: in struct s[2], x: out int[1])", "struct s { int a; };\nvoid f(struct s s, int *x) { *x = P; }", "by value"),
    ("f(x: work struct far[1], y: out int[1])", "void f(struct far *x, int *y) { *y = P; }", "`struct far`"),
]


@pytest.mark.parametrize("kernel,code,message", REFUSED, ids=["function", "pointer", "value", "two values", "unknown"])
def test_what_cannot_be_made_is_refused_at_its_argument(kernel: str, code: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        parsed(kernel, code, name=str(tmp_path / "k.c"))
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [3]


def test_a_work_array_is_no_output() -> None:
    with pytest.raises(SourceError, match="no argument of `f` is written"):
        parsed("f(x: work struct tm[1])", "void f(struct tm *x) { x->tm_sec = P; }")


def test_a_class_whose_virtual_functions_another_file_defines_is_known() -> None:
    code = "struct C { virtual void go(); int k; };\nvoid f(C *c, int *x) { *x = c->k + P; }"
    c, _ = arguments(parsed("f(c: work C[1], x: out int[1])", code, name="k.cpp"))
    assert isinstance(c, ArrayArgument) and c.direction == "work"


def test_a_parameter_that_hides_a_name_of_a_header_is_the_compilers_first_error(tmp_path: Path) -> None:
    (tmp_path / "sparse.h").write_text("#define csi long\nvoid other(const double *V, csi i);\n")
    text = (
        '#include "sparse.h"\n#ifndef V\n#define V 0\n#endif\n'
        "#pragma tunepass param V: categorical(false, true) = false\n"
        "#pragma tunepass kernel f(p: out csi[4])\nvoid f(csi *p) { for (int i = 0; i < 4; i++) p[i] = V; }\n"
    )
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source(str(tmp_path / "f.c"), text), words=("gcc",))
    assert "error: expected" in str(caught.value) and "|" not in str(caught.value).partition("does not tell")[2]
