"""C as people write it: each kind of parameter, function and global, by gcc and by clang."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.cfamily.types.asking import (
    C,
    answer,
    function,
    local_variables,
    parameters,
    signature,
    type_of,
    with_c,
)
from tunepass.frontends.cfamily.types.ask import Refusal, Rung, TypeAnswer
from tunepass.frontends.cfamily.types.leaves import leaves
from tunepass.frontends.cfamily.types.model import (
    Base,
    BaseKind,
    Enumeration,
    Record,
    Type,
    UnspellableError,
    all_members,
    underlying,
)

KINDS = """\
#include <sys/time.h>
typedef double real_t;
typedef real_t row[8];
typedef float v4 __attribute__((vector_size(16)));
struct point { double x, y; unsigned f : 3, g : 5; struct { int a; union { float b; int c; }; }; struct point *next;
  char tail[]; };
enum color { RED = -1, GREEN = 7 };
union word { int i; float f; } words[2];
static double kinds(row *x, struct point *p, double ***t, int n, int m, double A[n][m], const float *restrict q,
  void (*cb)(int, const char *), enum color c, struct timeval *tv, v4 v, real_t B[4][5], volatile int *const w)
{ double s = 0; for (int i = 0; i < n; i++) { real_t k = A[i][0]; s += k; }
  double C[n][m]; C[0][0] = s; _Complex double z = 0; _Atomic int at; unsigned char b; struct { int u; } un;
  __typeof__(s) u = s; return C[0][0] + u; }
float old(a, b) int a; float *b;
{ return a + b[0]; }
inline double inlined(double x) { return x; }
static inline int hidden(void) { return 1; }
int several(const char *format, ...) { return 0; }
int (*chooser(int which))(double) { return 0; }
_Thread_local int counter = 3;
double (*table[3])(int);
extern int elsewhere[][4];
struct opaque *handle;
__float128 wide;
"""
HEADS = ("double kinds", "float old", "double inlined", "int hidden", "int several", "int (*chooser")
NAMES = (
    "struct point",
    "words",
    "counter",
    "table",
    "elsewhere",
    "handle",
    "enum color",
    "row",
    "several",
    "struct opaque",
)


@pytest.fixture(scope="module", params=C)
def kinds(request: pytest.FixtureRequest) -> TypeAnswer:
    functions = [function(KINDS, head, "chooser" if "chooser" in head else None) for head in HEADS]
    command = [
        request.param,
        "-O3",
        "-flto",
        "-Werror",
        "-o",
        "out",
        "-MD",
        "-MF",
        "out.d",
        "-g3",
        "-fsanitize=address",
    ]
    return answer(KINDS, command, functions, (*NAMES, "wide"))


def test_parameters_are_declared_as_written(kinds: TypeAnswer) -> None:
    assert kinds.rung is Rung.AS_WRITTEN
    told = signature(kinds)
    assert parameters(told) == [
        "row *x",
        "struct point *p",
        "double ***t",
        "int n",
        "int m",
        "double (*A)[]",
        "const float *__restrict q",
        "void (*cb)(int, const char *)",
        "enum color c",
        "struct timeval *tv",
        "v4 v",
        "real_t (*B)[5]",
        "volatile int *const w",
    ]
    assert told.static and told.prototyped and told.result.declare("f") == "double f"


def test_bounds_that_only_the_text_knows_are_filled_by_the_caller(kinds: TypeAnswer) -> None:
    a = next(parameter.type for parameter in signature(kinds).parameters if parameter.name == "A")
    assert a.declare("A", ["m"]) == "double (*A)[m]"
    c = next(local.type for local in signature(kinds).locals if local.name == "C")
    assert c.declare("C", ["n", "m"]) == "double C[n][m]" and c.size is None
    with pytest.raises(UnspellableError, match="stands in the text"):
        c.declare("C")


def test_locals_of_all_blocks_have_types_and_lines(kinds: TypeAnswer) -> None:
    told = {local.name: local for local in signature(kinds).locals}
    assert set(told) == {"s", "i", "k", "C", "z", "at", "b", "un", "u"}
    assert told["k"].type.declare("k") == "real_t k" and told["k"].type.chain == ("real_t",) and told["k"].line == 11
    assert told["z"].type.declare("z") == "_Complex double z" and told["u"].type.declare("u") == "double u"
    assert told["at"].type.declare("at") == "_Atomic int at"
    with pytest.raises(UnspellableError, match="anonymous"):
        told["un"].type.declare("un")


def test_functions_that_nothing_calls_are_typed(kinds: TypeAnswer) -> None:
    old, inlined, hidden, several, chooser = (signature(kinds, number) for number in range(1, 6))
    assert parameters(old) == ["int a", "float *b"] and not old.prototyped
    assert parameters(inlined) == ["double x"] and not inlined.static
    assert hidden.static and hidden.parameters == () and hidden.prototyped
    assert several.variadic and parameters(several) == ["const char *format"]
    assert chooser.result.declare("f") == "int (*f)(double)"


def test_names_are_typed_by_probes(kinds: TypeAnswer) -> None:
    told = {name: type_of(kinds, name).declare("x") for name in NAMES}
    assert told == {
        "struct point": "struct point x",
        "words": "union word x[2]",
        "counter": "int x",
        "table": "double (*x[3])(int)",
        "elsewhere": "int x[][4]",
        "handle": "struct opaque *x",
        "enum color": "enum color x",
        "row": "row x",
        "several": "int x(const char *, ...)",
        "struct opaque": "struct opaque x",
    }
    assert type_of(kinds, "struct opaque").size is None
    color = type_of(kinds, "enum color")
    assert isinstance(color, Enumeration) and color.enumerators == (("RED", -1), ("GREEN", 7)) and color.size == 4
    wide = type_of(kinds, "wide")
    assert isinstance(wide, Base) and (wide.kind, wide.size) == (BaseKind.FLOAT, 16)


def test_layouts_have_offsets_bit_fields_and_unions(kinds: TypeAnswer) -> None:
    told = [(leaf.path, leaf.offset, leaf.bits, leaf.in_union) for leaf in leaves(type_of(kinds, "struct point"))]
    assert told == [
        (".x", 0, None, False),
        (".y", 8, None, False),
        (".f", 16, (3, 128), False),
        (".g", 16, (5, 131), False),
        (".a", 20, None, False),
        (".b", 24, None, True),
        (".c", 24, None, True),
        (".next", 32, None, False),
        (".tail[0]", 40, None, False),
    ]
    words = [(leaf.path, leaf.offset) for leaf in leaves(type_of(kinds, "words"))]
    assert words == [("[0].i", 0), ("[0].f", 0), ("[1].i", 4), ("[1].f", 4)]
    assert [leaf.offset for leaf in leaves(type_of(kinds, "row"))] == list(range(0, 64, 8))
    vector = next(parameter.type for parameter in signature(kinds).parameters if parameter.name == "v")
    assert [leaf.path for leaf in leaves(vector)] == ["[0]", "[1]", "[2]", "[3]"]


def test_records_may_lead_back_to_themselves(kinds: TypeAnswer) -> None:
    point = type_of(kinds, "struct point")
    assert isinstance(point, Record) and hash(point) and point.complete
    members = {member.name: member for member in all_members(point)}
    assert list(members) == ["x", "y", "f", "g", "a", "b", "c", "next", "tail"]
    back = members["next"].type
    assert isinstance(underlying(getattr(back, "target", back)), Record) and getattr(back, "target", None) is point


@with_c
def test_own_line_directives_move_nothing(cc: str) -> None:
    text = (
        '#line 40 "scanner.l"\ntypedef int t;\n# 7 "other.h" 3\nint first(t a) { return a; }\n'
        "  #  line 2\nint next(t b) { return b; }\n"
    )
    told = answer(text, [cc], [function(text, "int first"), function(text, "int next")])
    assert set(told.functions) == {("first", 4), ("next", 6)}
    assert parameters(signature(told, 0)) == ["t a"] and parameters(signature(told, 1)) == ["t b"]


@with_c
def test_headers_are_found_beside_the_source_and_by_relative_options(cc: str, tmp_path: Path) -> None:
    for folder, line in {
        "src": "typedef float beside;",
        "inc": "typedef short given;",
        ".": "typedef char wrong;",
    }.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / ("given.h" if folder == "inc" else "beside.h")).write_text(line + "\n")
    text = '#include "beside.h"\n#include <given.h>\nint f(beside a, given b) { return sizeof(__FILE__) == 9; }\n'
    told = answer(text, [cc, "-Iinc"], [function(text, "int f")], (), tmp_path, "src/f.c")
    assert parameters(signature(told)) == ["beside a", "given b"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["beside.h", "inc", "src"]


@with_c
def test_a_function_named_by_a_macro_is_found_by_its_line(cc: str) -> None:
    text = (
        "#define HEAD(f) int lib_##f##_v2(int n)\nHEAD(run) { return n; }\n"
        "static int\nrun_more(float x) { return 1; }\n"
    )
    told = answer(text, [cc], [function(text, "HEAD(run)", "run"), function(text, "static int\n", "run_more")])
    assert [signature(told, number).name for number in (0, 1)] == ["lib_run_v2", "run_more"]


@with_c
def test_variables_of_parallel_regions_are_locals(cc: str) -> None:
    text = """\
void f(int n, double *a) {
  double s = 0;
  #pragma omp parallel for reduction(+:s)
  for (int i = 0; i < n; i++) { double k = a[i]; s += k; }
  a[0] = s;
}
"""
    told = answer(text, [cc, "-fopenmp"], [function(text, "void f")])
    assert local_variables(signature(told)) == ["double s", "int i", "double k"]


@with_c
def test_an_inactive_function_is_refused(cc: str) -> None:
    text = "#if 0\nint f(int a) { return a; }\n#endif\nint g(void) { return 1; }\n"
    told = answer(text, [cc], [function(text, "int f"), function(text, "int g")])
    assert told.functions["f", 2] == Refusal("the compiler emits no such function", 2)
    assert signature(told, 1).name == "g"


@with_c
def test_a_probe_that_fails_spoils_no_other(cc: str) -> None:
    text = "struct s { int f : 3; } v;\nint f(void) { return 1; }\n"
    names = ("v", "missing", "v.f", "v; int extra", "(v", "f")
    told = answer(text, [cc], [function(text, "int f")], names)
    assert told.rung is Rung.AS_WRITTEN and isinstance(type_of(told, "v"), Type)
    assert type_of(told, "f").declare("x") == "int x(void)"
    refusals = {name: told.types[name] for name in names[1:5]}
    assert all(isinstance(refusal, Refusal) for refusal in refusals.values())
    assert "missing" in str(refusals["missing"]) and "bit-field" in str(refusals["v.f"])
    assert "stand alone" in str(refusals["(v"]) and "stand alone" in str(refusals["v; int extra"])
