"""Kernels whose arguments functions of the user's make: called, compared, restored, timed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.examples import optimisation
from tunepass.diagnostics import Source
from tunepass.evaluators.toolchains.compiling import WRAPPED
from tunepass.frontends.c.call.globals import exposing_text
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.harness.source import harness_source
from tunepass.ir.c_kernel import CKernel

N = 20
HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#pragma tunepass param OPT: categorical("-O1", "-O2") flag
#pragma tunepass kernel """
ROWS = """
struct rows { int n, calls; double *x; struct { int left, right; } *pairs; };
"""
KERNEL = """
void add(struct rows *r)
{
    r->calls += 1;
    for (int i = 0; i < r->n; i++) r->x[i] += i, r->pairs[i].right += r->pairs[i].left;
}
"""
FILL = """
    r->n = 20, r->calls = 7, r->x = malloc(20 * sizeof *r->x), r->pairs = malloc(20 * sizeof *r->pairs);
    for (int i = 0; i < r->n; i++) r->x[i] = 100, r->pairs[i].left = i, r->pairs[i].right = 5;
"""
FREE = "void free_rows(struct rows *r) { free(r->x), free(r->pairs), free(r); }\n"
MADE_BY = {  # the pragma, and the source
    "what it returns": (
        "add(r) setup(make) teardown(free_rows)",
        f"{ROWS}struct rows *make(void) {{ struct rows *r = malloc(sizeof *r); {FILL} return r; }}\n{FREE}{KERNEL}",
    ),
    "a pointer to it": (
        "add(r) setup(make) teardown(free_rows)",
        f"{ROWS}void make(struct rows **r_) {{ struct rows *r = *r_ = malloc(sizeof *r); {FILL} }}\n{FREE}{KERNEL}",
    ),
    "the struct itself": (
        "add(r) setup(make) teardown(free_parts)",
        f"{ROWS}static void make(struct rows *r) {{ {FILL} }}\n"
        f"static void free_parts(struct rows *r) {{ free(r->x), free(r->pairs); }}\n{KERNEL}",
    ),
}


def parsed(pragma: str, text: str, suffix: str = ".c") -> tuple[str, CKernel, str]:
    """The text that is compiled, the kernel, and its harness."""
    source = Source(f"kernel{suffix}", f"{HEAD}{pragma}\n{text}")
    (kernel,) = CFrontend().parse(source).kernels
    body = kernel.body_as(CKernel)
    assert body.call is not None and body.call.entry is not None
    following = exposing_text(body.call.function, body.call.globals) + body.call.entry.text
    return source.text + following, body, harness_source(kernel)


def build(folder: Path, pragma: str, text: str, compiler: str = "gcc", *flags: str) -> Path:
    """The linked program; the harness is held to -Wall -Wextra -Werror."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    suffix = ".cpp" if "++" in compiler else ".c"
    source, body, harness = parsed(pragma, text, suffix)
    (folder / f"kernel{suffix}").write_text(source)
    (folder / f"plain{suffix}").write_text(f"{HEAD}{pragma}\n{text}")  # of whose variables the harness needs the types
    (folder / f"harness{suffix}").write_text(harness)
    call = body.call
    needed = call.entry.flags if call is not None and call.entry is not None else ()
    checked = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-DTP_WRAP_MALLOC"]
    if body.call is not None and body.call.globals:
        checked.append(f'-DTP_INCLUDE_SOURCE="plain{suffix}"')
    for name, words in (("kernel", ["-w", *needed]), ("harness", checked)):
        command = [compiler, optimisation(), *words, *flags, "-c", f"{name}{suffix}", "-o", f"{name}.o"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    wrapped = ["-Wl,--allow-multiple-definition", *(f"-Wl,--wrap={name}" for name in WRAPPED)]
    subprocess.run(
        [compiler, *flags, "kernel.o", "harness.o", "-lm", *wrapped, "-o", "program"], cwd=folder, check=True
    )
    return folder / "program"


def run(program: Path, *words: str) -> tuple[int, list[str], bytes, str]:
    """Status, report, outputs, and what the user's functions printed."""
    report, outputs = program.parent / "report", program.parent / "outputs"
    for path in (report, outputs):
        path.unlink(missing_ok=True)
    done = subprocess.run(
        [program, *words, f"report={report}", f"outputs={outputs}"], cwd=program.parent, capture_output=True, text=True
    )
    results = outputs.read_bytes() if outputs.exists() else b""
    return done.returncode, report.read_text().splitlines(), results, done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("made", MADE_BY)
@pytest.mark.each_value
def test_found_places_are_compared_and_every_call_begins_alike(tmp_path: Path, made: str, compiler: str) -> None:
    program = build(tmp_path, *MADE_BY[made], compiler)
    status, report, outputs, _ = run(program, "mode=check", "calls=3", "cases=1:0:0:0:0:0:0,2:0:1:1:0:0:0")
    assert status == 0, report
    assert [line for line in report if line.startswith("array")][:5] == [
        f"array r->x f8 {N}",
        f"array r->pairs.left i4 {N}",
        f"array r->pairs.right i4 {N}",
        "array *r.n i4 1",
        "array *r.calls i4 1",
    ]
    assert report[6:8] == ["array &*r.x i8 1", "array &*r.pairs i8 1"]
    size = 16 * N + 24
    calls = [outputs[k : k + size] for k in range(0, len(outputs), size)]
    assert len(calls) == 6 and len(set(calls)) == 1
    i = np.arange(N)
    assert np.array_equal(np.frombuffer(calls[0][: 8 * N], "f8"), 100.0 + i)
    assert np.array_equal(np.frombuffer(calls[0][12 * N : 16 * N], "i4"), 5 + i)
    assert np.frombuffer(calls[0][16 * N : -16], "i4").tolist() == [N, 8]
    assert np.frombuffer(calls[0][-16:], "i8").tolist() == [1 << 40, 2 << 40]


def test_named_places_are_poisoned_filled_and_measured_by_expressions(tmp_path: Path) -> None:
    pragma = (
        "scale(v, n = 20, v->x: in double[v->used] range(2, 3), v->y: out double[2 * n], v->sum: out double) "
        "setup(make) teardown(drop)"
    )
    text = """
struct vectors { int used; double *x, *y, sum; void *opaque; };
void make(struct vectors **v, int n, unsigned tunepass_seed)
{
    *v = calloc(1, sizeof **v);
    (*v)->used = n, (*v)->x = calloc(n, sizeof(double)), (*v)->y = calloc(2 * n, sizeof(double));
    (*v)->opaque = (void *)(uintptr_t)tunepass_seed;
}
void drop(int n, struct vectors *v) { free(v->x), free(v->y), free(v); }
void scale(struct vectors *v, int n)
{
    v->sum = 0;
    for (int i = 0; i < n; i++) v->y[i] = 2 * v->x[i], v->sum += v->x[i];
}
"""
    program = build(tmp_path, pragma, text)
    status, report, outputs, _ = run(program, "mode=check", "calls=2", "cases=1:0:0:0:0:0:0,1:1:0:0:0:0:0")
    assert status == 0, report
    assert [line for line in report if line.startswith("array")] == [
        f"array {place} f8 {count}" for n in (20, 19) for place, count in (("v->x", n), ("v->y", 2 * n), ("v->sum", 1))
    ]
    first, second = np.frombuffer(outputs[: 2 * 8 * 61], "f8").reshape(2, 61)
    x, y, total = first[:20], first[20:60], first[60]
    assert x.min() >= 2 and x.max() <= 3 and len(set(x)) == 20
    assert np.array_equal(y[:20], 2 * x) and np.isnan(y[20:]).all() and np.isclose(total, x.sum())
    assert np.array_equal(second[:40], first[:40]) and (second[40:60] == -1234.5).all()


def test_a_struct_by_value_and_variables_of_the_file(tmp_path: Path) -> None:
    pragma = "invert(im) setup(make_image) teardown(free_image) globals(table)"
    text = """
typedef struct { int w, h; float *data; } image;
unsigned char *table;
static int made;
image make_image(void)
{
    image im = {4, 5, malloc(20 * sizeof(float))};
    for (int i = 0; i < 20; i++) im.data[i] = rand();
    table = made++ ? realloc(table, 64) : malloc(64);
    return im;
}
void free_image(image m) { free(m.data); }
void invert(image im) { for (int i = 0; i < im.w * im.h; i++) im.data[i] = -im.data[i]; }
"""
    program = build(tmp_path, pragma, text)
    status, report, outputs, _ = run(program, "mode=check", "calls=2", "cases=1:0:0:0:0:0:0")
    assert status == 0, report
    assert f"array im.data f4 {N}" in report
    first, second = outputs[: 4 * N], outputs[len(outputs) // 2 :][: 4 * N]
    assert first == second and (np.frombuffer(first, "f4") <= 0).all()


CLASS = """
#include <vector>
namespace grid {
class Field {
    std::vector<double> values;
    int steps = 0;
public:
    explicit Field(int n) : values(n, 1.5) {}
    void step(double by) noexcept { steps++; for (double &v : values) v += by; }
    int size() const { return values.size(); }
};
MAKE
void shift(const Field &from, Field &to);
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(
    "make",
    [
        "Field make() { return Field(20); }",
        "Field *make() { return new Field(20); }",
        "void make(Field *&self) { self = new Field(20); }",
        "void make(Field **self) { *self = new Field(20); }",
    ],
)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_a_member_function_is_called_on_the_object_that_the_setup_makes(
    tmp_path: Path, make: str, compiler: str
) -> None:
    places = "this->values: inout double[this->size()], this->steps: inout int"
    pragma = f"grid::Field::step(this, by = 2.0, {places}) setup(make)"
    program = build(tmp_path, pragma, CLASS.replace("MAKE", make), compiler, "-std=c++11")
    status, report, outputs, _ = run(program, "mode=check", "calls=2", "cases=1:0:0:0:0:0:0")
    assert status == 0, report
    assert report[1:3] == [f"array this->values f8 {N}", "array this->steps i4 1"]
    first, second = outputs[: 8 * N + 4], outputs[8 * N + 4 :]
    assert first == second == np.full(N, 3.5).tobytes() + np.int32(1).tobytes()


def test_scalars_of_a_templates_types_beside_an_object(tmp_path: Path) -> None:
    text = """
template <class T> struct Row { T *cells; template <class First> void add(First by, int n); };
template <class Cell> template <class First> void Row<Cell>::add(First by, int n)
{
    for (int i = 0; i < n; i++) cells[i] += by;
}
void make(Row<float> *self, int n) { self->cells = new float[n](); }
"""
    pragma = "Row<float>::add<double>(by = 2.5, n = 3, this->cells: inout float[n]) setup(make)"
    status, report, outputs, _ = run(
        build(tmp_path, pragma, text, "g++"), "mode=check", "calls=1", "cases=1:0:0:0:0:0:0"
    )
    assert status == 0 and outputs == np.full(3, 2.5, np.float32).tobytes(), report


def test_references_and_elements_of_new(tmp_path: Path) -> None:
    pragma = "copy(from, to, n = 20) setup(make)"
    text = """
struct Vector { int n; double *values; ~Vector() { delete[] values; } };
void make(Vector &from, int n, Vector *to)
{
    from.values = new double[from.n = n], to->values = new double[to->n = n];
    for (int i = 0; i < n; i++) from.values[i] = i;
}
void copy(const Vector &from, Vector *to, int n) { for (int i = 0; i < n; i++) to->values[i] = from.values[i]; }
"""
    program = build(tmp_path, pragma, text, "g++")
    status, report, outputs, _ = run(program, "mode=check", "calls=2", "cases=1:0:0:0:0:0:0")
    assert status == 0, report
    assert f"array to->values f8 {N}" in report and f"array from.values f8 {N}" in report
    i = np.arange(N, dtype="f8").tobytes()
    assert outputs.count(i) == 4


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 0;", "make returns NULL"),
        ("exit(0);", "make ends the program"),
        ("abort();", "make ends with signal 6"),
        ("*(volatile int *)8 = 1; return 0;", "make ends with signal 11"),
        ("static double x[20]; static struct rows r; r.n = 20; r.x = x; return &r;", "has to name, in r->x"),
        (
            "static int n = 5; struct rows *r = calloc(1, sizeof *r); r->x = malloc(8 * n++); return r;",
            "makes other lengths each time it is called, of r->x",
        ),
    ],
)
@pytest.mark.slow_but(3)
def test_a_setup_that_fails_is_said_to(tmp_path: Path, body: str, words: str) -> None:
    text = "struct rows { int n; double *x; };\nstruct rows *make(void) { %s }\nvoid add(struct rows *r) { r->n++; }"
    program = build(tmp_path, "add(r) setup(make)", text % body)
    status, report, _, _ = run(program, "mode=check", "calls=2", "cases=1:0:0:0:0:0:0")
    assert status == 86 and report[-1].startswith("fault setup make") and words in report[-1]


def test_a_setup_that_throws_is_said_to(tmp_path: Path) -> None:
    text = "struct R { int n; };\nR *make() { throw 3; }\nvoid add(R *r) { r->n++; }"
    program = build(tmp_path, "add(r) setup(make)", text, "g++")
    status, report, _, _ = run(program, "mode=check", "cases=1:0:0:0:0:0:0")
    assert status == 86 and report[-1] == "fault setup make throws int"


COUNTED = """
struct rows { double *x; };
struct rows *make(void)
{
    struct rows *r = malloc(sizeof *r);
    fputc('+', stderr);
    r->x = malloc(160);
    for (int i = 0; i < 20; i++) r->x[i] = 1;
    return r;
}
void drop(struct rows *r) { fputc('-', stderr); free(r->x), free(r); }
void twice(struct rows *r) { for (int i = 0; i < 20; i++) r->x[i] *= 2; }
"""


def test_the_setup_runs_before_every_call_and_the_teardown_after_it(tmp_path: Path) -> None:
    program = build(tmp_path, "twice(r) setup(make) teardown(drop)", COUNTED)
    _, report, _, said = run(program, "mode=check", "calls=3", "cases=1:0:0:0:0:0:0")
    assert report[-1].startswith("done") and said == "+-" * 3
    _, _, _, said = run(program, "mode=time", "calls=6")
    assert said == "+-" * (len(said) // 2) and len(said) > 8


def test_once_keeps_what_was_made_while_time_is_measured(tmp_path: Path) -> None:
    program = build(tmp_path, "twice(r) setup(make, once) teardown(drop)", COUNTED)
    _, report, _, said = run(program, "mode=time", "calls=6")
    assert report[-1].startswith("done") and said == "+-"
    _, _, _, said = run(program, "mode=check", "calls=3", "cases=1:0:0:0:0:0:0")
    assert said == "+-" * 3


def test_sanitizers_watch_the_places(tmp_path: Path) -> None:
    text = COUNTED.replace("i < 20; i++) r->x[i] *= 2", "i < 21; i++) r->x[i] *= 2")
    program = build(tmp_path, "twice(r) setup(make) teardown(drop)", text, "gcc", "-fsanitize=address")
    status, _, _, said = run(program, "mode=sanitize", "seed=1")
    assert status != 0 and "heap-buffer-overflow" in said


def test_a_parameter_may_state_the_least_length_of_its_array(tmp_path: Path) -> None:
    text = """
struct scale { double by; };
void make(struct scale *p) { p->by = 2; }
void scaled(int n, double *y, struct scale p[restrict static 1])
{
    for (int i = 0; i < n; i++) y[i] = p->by * i;
    p->by = 0;
}
"""
    program = build(tmp_path, "scaled(n = 3, y: out double[n], p, p->by: inout double) setup(make)", text, "gcc")
    status, report, outputs, _ = run(program, "mode=check", "calls=1", "cases=1:0:0:0:0:0:0")
    assert status == 0 and np.array([0.0, 2.0, 4.0]).tobytes() in outputs, report
