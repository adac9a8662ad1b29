"""Names of a source that the generated program has too: kept apart where they can be, else refused with their line."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.kernels import ARGUMENTS, PROTOTYPE
from tests.evaluators.test_cpp_kernels import outcomes, task_of
from tunepass.diagnostics import Source, SourceError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.programs.compiling import TWICE
from tunepass.evaluators.harness.programs.symbols import HARMLESS, symbols
from tunepass.frontends.c.call.reserved import CALLED
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.harness.plan import CSetup
from tunepass.frontends.c.harness.text import harness_text
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
HEAD = (
    "#pragma tunepass param WRONG: integer(0..1) = 0\n#pragma tunepass kernel {kernel}\n"
    "#ifndef WRONG\n#define WRONG 0\n#endif\n"
)
PAIRS = (
    "typedef double real;\nstruct pair {{ real a, b; }};\ndouble total;\n{macros}\n"
    "void f(int n, const struct pair *x, struct pair *y)\n"
    "{{ for (int q = 0; q < n; q++) y[q].a = 2 * x[q].b + WRONG, y[q].b = 1, total += x[q].a; }}\n"
)
MACROS = {
    "members and locals": "#define i 3\n#define at 1\n#define data (1)\n#define size 5\n#define count 7\n"
    "#define row 4\n#define index 2\n#define seed 3\n#define name 9\n#define kind 8\n#define path 7\n#define offset 6",
    "functions": "#define free(p) absent(p)\n#define memcmp absent\n#define snprintf absent\n#define strlen absent\n"
    "#define offsetof(t, m) absent",
    "poisoned": "#pragma GCC poison malloc calloc realloc free sprintf strcpy atoi atof sscanf",
    "names of system headers": "double y1[5];\nint index(int k) { return k; }\nenum kinds { link, pipe };\n"
    "struct rlimit { int x; };",
}


def judged(folder: Path, text: str, *command: str) -> tuple[object, object]:
    right, wrong = outcomes(task_of(folder, text, *command), {"WRONG": 0}, {"WRONG": 1})
    return right, wrong


@pytest.mark.parametrize("macros", MACROS.values(), ids=MACROS)
@pytest.mark.one_in(2)
def test_names_of_the_source_that_the_harness_has_too(tmp_path: Path, macros: str) -> None:
    text = HEAD.format(kernel="f(n = 50, x: in struct pair[n], y: out struct pair[n])") + PAIRS.format(macros=macros)

    right, wrong = judged(tmp_path, text, "gcc", "-O1")
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


def test_a_kernel_named_as_a_function_of_a_system_header(tmp_path: Path) -> None:
    kernel = "round(n = 50, x: in double[n], y: out double[n])"
    body = "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i] + WRONG; return n; }\n"
    text = HEAD.format(kernel=kernel) + f"int round(int n, const double *x, double *y) {body}"
    right, wrong = judged(tmp_path, text, "gcc", "-O1", "-fno-builtin")
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


OWN_NAME = {
    "member": ("in struct p[1]", "struct p { double f; int main; };\n", "void f(int n, struct p p, double *y)", ""),
    "tag": (
        "in struct f[1]",
        "struct f { double f; };\n",
        "void f(int n, const struct f *q, double *y)",
        "struct f p = *q, main = p; f: if (n < 0) goto f; n = n;",
    ),
    "returned": ("in F[1]", "typedef struct f { double f; } F;\n", "F f(int n, F p, double *y)", "F main = p;"),
    "typedef": ("in F[1]", "typedef struct f { double f; } F;\n", "void f(int n, F *q, double *y)", "F p = *q;"),
}


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
@pytest.mark.parametrize("case", OWN_NAME)
def test_other_things_may_have_the_names_of_the_kernel_and_of_main(tmp_path: Path, case: str, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    kind, types, prototype, first = OWN_NAME[case]
    returned = "" if prototype.startswith("void") else "return main;"
    loop = "for (int i = 0; i < n; i++) y[i] = p.f + i + WRONG;"
    text = HEAD.format(kernel=f"f(n = 50, p: {kind}, y: out double[n])")
    text += f"{types}{prototype}\n{{ {first} {loop} {returned} }}\n"
    right, wrong = judged(tmp_path, text, compiler, "-O1")
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


IN_HEADERS = {
    "swap": ("kernel.cpp", "#include <vector>\nstatic std::vector<int> v(4);\nstruct p { double x; };\n", "p", "x"),
    "tv_sec": ("kernel.c", "#include <time.h>\n", "timespec", "tv_sec"),
}


@pytest.mark.parametrize("name", IN_HEADERS)
def test_a_kernel_named_as_something_else_in_a_system_header(tmp_path: Path, name: str) -> None:
    file, head, struct, member = IN_HEADERS[name]
    text = HEAD.format(kernel=f"{name}(n = 50, x: in struct own[n], y: out struct {struct}[n])") + head
    text += "struct own { double v; };\n"
    text += f"void {name}(int n, const struct own *x, struct {struct} *y)\n"
    text += f"{{ for (int i = 0; i < n; i++) y[i].{member} = x[i].v + WRONG; }}\n"
    right, wrong = judged(tmp_path, text, *(("gcc", "-O1") if file.endswith(".c") else ()))
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang")
def test_atomic_variables_under_clang(tmp_path: Path) -> None:
    text = HEAD.format(kernel="f(n = 50, y: out double[n])") + "_Atomic int total, most[2];\n"
    text += "void f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = i; total += 1; most[1] += 2 + WRONG; }\n"
    task = replace(task_of(tmp_path, text, "gcc", "-O1"), command=("clang", "-O1"))
    right, wrong = outcomes(task, {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


HEADER_MACROS = "struct p { double sa_handler, isnan; int stdout; };\n"


def test_names_that_are_macros_of_headers_that_only_the_harness_includes(tmp_path: Path) -> None:
    text = HEAD.format(kernel="f(n = 50, x: in double[n], y: out struct p[n])") + HEADER_MACROS
    text += "void f(int n, const double *x, struct p *y)\n"
    text += "{ for (int st_atime = 0; st_atime < n; st_atime++) y[st_atime].sa_handler = x[st_atime] + WRONG; }\n"
    right, wrong = judged(tmp_path, text, "gcc", "-O1")
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_a_template_of_the_source_may_be_named_as_a_container(tmp_path: Path) -> None:
    text = HEAD.format(kernel="f(n = 50, x: in list<double>[n], y: out double[n])")
    text += "template <class T> struct list { T head; };\n"
    text += (
        "void f(int n, const list<double> *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i].head + WRONG; }\n"
    )
    right, wrong = judged(tmp_path, text)
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_a_type_that_is_private(tmp_path: Path) -> None:
    text = HEAD.format(kernel="C::f(n = 50, x: in C::P[n], y: out double[n])")
    text += "class C { struct P { double x; }; static void f(int n, const P *x, double *y); };\n"
    text += "void C::f(int n, const P *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i].x + WRONG; }\n"
    right, wrong = judged(tmp_path, text)
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.parametrize("file", ['q"uo.c', "back\\slash.c", "a b.c", "it's.c"])
@pytest.mark.one_in(2)
def test_names_of_files(tmp_path: Path, file: str) -> None:
    text = HEAD.format(kernel="f(n = 50, x: in struct pair[n], y: out struct pair[n])") + PAIRS.format(macros="")
    path = tmp_path / file
    path.write_text(text)
    task = task_of(tmp_path, text, "gcc", "-O1")
    with CompileRun(replace(task, source=path)) as evaluator:
        right, wrong = (evaluator.evaluate(Configuration({"WRONG": value})).outcome for value in (0, 1))
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and wrong.stage == "wrong_result"


CPP = """\
#define at 1
#define object 2
#define count 3
#define place 5
#define what 6
#define type 7
#define value 8
static int f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = i + WRONG; return n; }
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_macros_that_the_entry_of_a_kernel_of_cpp_has_too(tmp_path: Path) -> None:
    right, wrong = judged(tmp_path, HEAD.format(kernel="f(n = 50, y: out double[n])") + CPP)
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


REFUSED = {
    "read": ("void read(int n, double *y) { y[0] = n; }", "read(n = 8, y: out double[n])", (1, 25)),
    "tp_call": ("static void tp_call(int n, double *y) { y[0] = n; }", "tp_call(n = 8, y: out double[n])", (1, 25)),
    "tunepass_f": ("void tunepass_f(int n, double *y) { y[0] = n; }", "tunepass_f(n = 8, y: out double[n])", (1, 25)),
    "tp_seed": ("void f(int tp_seed, double *y) { y[0] = 1; }", "f(tp_seed = 8, y: out double[8])", (1, 27)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_names_of_the_generated_program_are_refused(name: str) -> None:
    code, kernel, (line, column) = REFUSED[name]
    text = f"#pragma tunepass kernel {kernel}\n#pragma tunepass param P: integer(0..1) = 0\n{code}\nint p = P;\n"
    with pytest.raises(SourceError, match=f"`{name}`") as error:
        CFrontend().parse(Source("k.c", text))
    span = error.value.diagnostics[0].span
    assert span is not None and (span.line, span.column) == (line, column)
    assert error.value.diagnostics[0].hint


def test_a_static_kernel_may_be_named_as_a_function_that_the_program_calls(tmp_path: Path) -> None:
    text = HEAD.format(kernel="read(n = 50, y: out double[n])")
    text += "static void read(int n, double *y) { for (int i = 0; i < n; i++) y[i] = i + WRONG; }\n"
    right, wrong = judged(tmp_path, text, "gcc", "-O1")
    assert isinstance(right, Measured) and isinstance(wrong, Failed), (right, wrong)


@pytest.mark.parametrize("setup", [None, CSetup(function="make")])
def test_the_list_of_what_the_program_calls_is_whole(tmp_path: Path, setup: CSetup | None) -> None:
    path = tmp_path / "h.c"
    path.write_text(harness_text("window", PROTOTYPE, ARGUMENTS, setup=setup))
    words = ["gcc", "-O1", "-w", "-fno-builtin", "-DTP_WRAP_MALLOC", "-c", str(path), "-o", str(tmp_path / "h.o")]
    subprocess.run(words, check=True)
    needed = {name.removeprefix("__real_").removeprefix("__isoc99_") for name in symbols(tmp_path / "h.o").needed}
    others = {"atoi", "_GLOBAL_OFFSET_TABLE_"}  # which calls what is listed, and no function
    assert needed - HARMLESS - others - {"window", "tunepass_locate", "tunepass_set_up", "tunepass_tear_down"} <= CALLED


SAID = {
    "k.c:3:8: error: conflicting types for 'y1'; have 'double[5]'": "y1",
    "k.c:3:8: error: 'y1' redeclared as different kind of symbol": "y1",
    "k.c:3:8: error: static declaration of 'round' follows non-static declaration": "round",
    "k.c:3:8: error: redefinition of 'struct rlimit'": "struct rlimit",
    "k.c:3:8: error: redefinition of 'y1' as different kind of symbol": "y1",
    "k.cc:3:8: error: conflicting declaration 'double y1 [5]'": "double y1 [5]",
    "k.cc:3:8: error: ambiguating new declaration of 'int round(double)'": "int round(double)",
}


@pytest.mark.parametrize("said", SAID)
def test_what_compilers_say_of_a_name_that_is_declared_twice(said: str) -> None:
    assert TWICE.findall(said) == [SAID[said]]


OF_CPP = {
    "void f(int n, auto const *x, double *y) { y[0] = x[0]; }": "`x` of `f` is `auto`",
    "consteval int f(int n, const double *x, double *y) { return n; }": "`f` is consteval",
}


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
@pytest.mark.parametrize("code", OF_CPP)
def test_functions_that_no_program_can_call_are_refused(code: str) -> None:
    text = HEAD.format(kernel="f(n = 8, x: in double[n], y: out double[n])") + f"int p = WRONG;\n{code}\n"
    with pytest.raises(SourceError, match=OF_CPP[code]) as error:
        CFrontend().parse(Source("k.cpp", text), words=("g++", "-std=c++20"))
    span = error.value.diagnostics[0].span
    assert span is not None and span.line == 2
