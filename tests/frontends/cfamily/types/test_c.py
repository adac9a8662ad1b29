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
from tunepass.frontends.cfamily.types.ask import Refusal, Rung
from tunepass.frontends.cfamily.types.leaves import leaves
from tunepass.frontends.cfamily.types.model import (
    Array,
    Base,
    BaseKind,
    Enumeration,
    Pointer,
    Record,
    RecordKind,
    UnspellableError,
    Vector,
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
{ double s = 0; for (int i = 0; i < n; i++) { real_t k = A[i][0]; s += k; } double C[n][m]; C[0][0] = s;
  _Complex double z = 0; __float128 e = 0; __typeof__(s) u = e; _Atomic int at; unsigned char b; return C[0][0]; }
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
int empty[0];
"""
HEADS = ("kinds", "float old", "double inlined", "int hidden", "int several", "chooser")


@pytest.fixture(scope="module", params=C)
def kinds(request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    functions = [function(KINDS, head) for head in HEADS]
    names = ("struct point", "words", "counter", "table", "elsewhere", "handle", "enum color", "row", "several")
    return answer(KINDS, [request.param, "-O3", "-flto", "-Werror", "-o", "out"], functions, (*names, "empty", "real_t"))


def test_parameters_are_declared_as_they_were(kinds) -> None:  # type: ignore[no-untyped-def]
    assert kinds.rung is Rung.AS_WRITTEN
    told = signature(kinds)
    given = [parameter for parameter in told.parameters if parameter.name != "A"]
    assert [parameter.type.declare(parameter.name or "") for parameter in given] == [
        "row *x",
        "struct point *p",
        "double ***t",
        "int n",
        "int m",
        "const float *__restrict q",
        "void (*cb)(int, const char *)",
        "enum color c",
        "struct timeval *tv",
        "v4 v",
        "real_t (*B)[5]",
        "volatile int *w",
    ] or [parameter.type.declare("") for parameter in given][-1] == "volatile int *const "
    assert told.static and told.prototyped and told.result.declare("f") == "double f"
