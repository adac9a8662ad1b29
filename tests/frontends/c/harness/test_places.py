"""Places of all types, compiled and run: what a kernel leaves in them is among the outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.frontends.c.harness.test_setup import build, run

ONE_CASE = ("mode=check", "calls=2", "cases=1:0:0:0:0:0:0")


def outputs_of(program: Path) -> dict[str, list[np.ndarray[tuple[int], np.dtype[np.generic]]]]:
    """What each of two calls left, by the names in the report."""
    status, report, outputs, _ = run(program, *ONE_CASE)
    assert status == 0, report
    found: dict[str, list[np.ndarray[tuple[int], np.dtype[np.generic]]]] = {}
    at, lines = 0, [line.split() for line in report if line.startswith("array")]
    for _ in range(2):
        for _, name, dtype, count in lines:
            size = np.dtype(dtype).itemsize * int(count)
            found.setdefault(name, []).append(np.frombuffer(outputs[at : at + size], dtype))
            at += size
    assert at == len(outputs)
    return found


def values_of(program: Path) -> dict[str, list[float]]:
    """The same, where both calls leave equal contents."""
    both = outputs_of(program)
    assert all(np.array_equal(first, second, equal_nan=True) for first, second in both.values())
    return {name: first.tolist() for name, (first, _) in both.items()}


BOX = """
typedef double real3[3];
struct cell { double *v; int k; };
struct node { struct node *next; int k; };
enum { ON, OFF };
struct box {
    real3 *f;
    int **rows;
    short *fixed[2];
    struct cell *cells;
    struct node *first;
    struct { int a, b; } many[20];
    union { int i; float f; } u;
    double _Complex *z;
    double (*m)[2][2];
    void (*callback)(int);
    enum { A, B } e;
    char *name;
};
struct box *make(void)
{
    struct box *b = calloc(1, sizeof *b);
    b->f = calloc(2, sizeof(real3));
    b->rows = calloc(3, sizeof(int *));
    int *all = calloc(6, sizeof(int));
    for (int i = 0; i < 3; i++) b->rows[2 - i] = all + 2 * i;
    for (int i = 0; i < 2; i++) b->fixed[i] = calloc(2, sizeof(short));
    b->cells = calloc(2, sizeof *b->cells);
    for (int i = 0; i < 2; i++) b->cells[i].v = calloc(2, sizeof(double));
    for (int i = 0; i < 3; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->next = b->first, b->first = n;
    }
    b->z = calloc(1, sizeof *b->z);
    b->m = calloc(1, sizeof *b->m);
    b->name = "box";
    return b;
}
"""
CHANGE = """
void change(struct box *b)
{
    for (int i = 0; i < 6; i++) b->f[i / 3][i % 3] = i;
    for (int i = 0; i < 6; i++) b->rows[i / 2][i % 2] = i;
    for (int i = 0; i < 4; i++) b->fixed[i / 2][i % 2] = i, b->cells[i / 2].v[i % 2] = 10 + i;
    b->cells[1].k = 5;
    int k = 0;
    for (struct node *n = b->first; n; n = n->next) n->k = k++;
    b->many[19].b = 7, b->u.i = 258, *b->z = 1.5, b->m[0][1][0] = 2, b->e = B;
    b->callback = 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_everything_that_pointers_lead_to_is_among_the_outputs(tmp_path: Path, compiler: str) -> None:
    values = values_of(build(tmp_path, "change(b) setup(make)", BOX + CHANGE, compiler))
    assert values["b->f"] == [0, 1, 2, 3, 4, 5]
    assert values["b->rows[]"] == [0, 1, 2, 3, 4, 5]
    assert len(set(values["&b->rows"])) == 3 and -2 not in values["&b->rows"]
    assert values["b->fixed[]"] == [0, 1, 2, 3]
    assert values["b->cells[].v"] == [10, 11, 12, 13] and values["b->cells.k"] == [0, 5]
    assert values["b->first.k"] == [0, 1, 2] and values["&b->first.next"][-1] == -1
    assert values["b->many.b"] == [0] * 19 + [7]
    assert values["*b.u"] == [2, 1, 0, 0] and values["*b.e"] == [1] and values["&*b.callback"] == [-1]
    assert (values["b->z.real"], values["b->z.imaginary"]) == ([1.5], [0])
    assert values["b->m"] == [0, 0, 2, 0]


def test_a_row_pointer_that_a_kernel_changes_shows(tmp_path: Path) -> None:
    swap = "void change(struct box *b) { int *r = b->rows[0]; b->rows[0] = b->rows[1], b->rows[1] = r; }"
    swapped = values_of(build(tmp_path, "change(b) setup(make)", BOX + swap))["&b->rows"]
    kept = values_of(build(tmp_path, "change(b) setup(make)", BOX + "void change(struct box *b) { b->e = A; }"))
    assert swapped == [kept["&b->rows"][k] for k in (1, 0, 2)]


ROWS = """
typedef double real3[3];
struct image { int **rows; real3 *f; real3 origin; };
struct image *make(void)
{
    struct image *a = calloc(1, sizeof *a);
    a->rows = calloc(4, sizeof(int *));
    for (int i = 0; i < 4; i++) a->rows[i] = calloc(5, sizeof(int));
    a->f = calloc(2, sizeof(real3));
    return a;
}
void change(struct image *a)
{
    for (int i = 0; i < 4; i++) a->rows[i][1] = i;
    a->f[1][2] = 8, a->origin[1] = 3;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_named_rows_and_arrays_of_arrays(tmp_path: Path, compiler: str) -> None:
    casts = {"calloc(1,": "struct image", "calloc(4,": "int *", "calloc(5,": "int", "calloc(2,": "real3"}
    text = ROWS
    for call, kind in casts.items() if "++" in compiler else ():
        text = text.replace(call, f"({kind} *){call}")
    pragma = "change(a, a->rows: out int[4][3], a->f: inout double[2 * 3], a->origin: inout real3) setup(make)"
    first, second = outputs_of(build(tmp_path, pragma, text, compiler))["a->rows[]"]
    assert first.reshape(4, 3)[:, 1].tolist() == [0, 1, 2, 3] == second.reshape(4, 3)[:, 1].tolist()
    assert (first.reshape(4, 3)[:, 0] != second.reshape(4, 3)[:, 0]).all()  # poisoned before each call
    both = outputs_of(tmp_path / "program")
    assert both["a->f"][0].tolist() == [0, 0, 0, 0, 0, 8] and both["a->origin"][1].tolist() == [0, 3, 0]


def test_what_is_made_once_is_copied_back_into_its_pieces(tmp_path: Path) -> None:
    add = "void change(struct image *a) { for (int i = 0; i < 4; i++) if (++a->rows[i][1] != 1) abort(); }"
    text = ROWS[: ROWS.index("void change")] + add
    program = build(tmp_path, "change(a, a->rows: inout int[4][5]) setup(make, once)", text)
    status, report, _, _ = run(program, "mode=time", "calls=6")
    assert status == 0 and report[-1].startswith("done")


@pytest.mark.parametrize(
    ("name", "told"), [('b->name = "box";', False), ("static char kept[4]; b->name = kept;", True)]
)
def test_memory_of_unknown_length_is_told_where_it_can_be_written(tmp_path: Path, name: str, told: bool) -> None:
    program = build(tmp_path, "change(b) setup(make)", BOX.replace('b->name = "box";', name) + CHANGE)
    status, report, _, _ = run(program, *ONE_CASE)
    assert status == 0 and ("uncompared b->name" in report) == told


def test_rows_of_unknown_length_are_told(tmp_path: Path) -> None:
    rows = "static int kept[2]; b->rows[1] = kept;"
    program = build(tmp_path, "change(b) setup(make)", BOX.replace("return b;", f"{rows} return b;") + CHANGE)
    status, report, _, _ = run(program, *ONE_CASE)
    assert status == 0 and "uncompared b->rows[]" in report and "array b->rows[] i4 6" in report


def test_a_pointer_into_the_object_or_a_place_is_compared_there(tmp_path: Path) -> None:
    """Not as other numbers of its allocation, which may be addresses."""
    text = """
struct text { char *at, small[16]; double *all, **rows; };
struct text *make(void)
{
    struct text *t = calloc(1, sizeof *t);
    t->at = t->small, t->all = calloc(6, sizeof(double)), t->rows = calloc(2, sizeof(double *));
    for (int i = 0; i < 2; i++) t->rows[i] = t->all + 3 * i;
    return t;
}
void change(struct text *t) { t->at[1] = 7, t->rows[1][2] = 4; }
"""
    values = values_of(build(tmp_path, "change(t) setup(make)", text))
    assert values["*t.small"] == [0, 7] + [0] * 14 and values["t->all"] == [0, 0, 0, 0, 0, 4]
    assert "t->at" not in values and "t->rows[]" not in values


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_a_struct_behind_the_end_of_an_array_is_none(tmp_path: Path, compiler: str) -> None:
    """Nor is what its members would lead to."""
    text = """
struct item { int *value; int count; };
void make(struct item **first, struct item **last)
{
    *first = (struct item *)calloc(3, sizeof **first), *last = *first + 3;
    for (int i = 0; i < 3; i++) (*first)[i].value = (int *)calloc(2, sizeof(int));
}
void change(struct item *first, struct item *last)
{
    for (int i = 1; first != last; first++, i++) first->count = i, first->value[1] = 10 * i;
}
"""
    values = values_of(build(tmp_path, "change(first, last) setup(make)", text, compiler))
    assert values["*first.count"] == [1] and values["first->value"] == [0, 10]
    assert not any("last" in name and value for name, value in values.items())


def test_a_row_that_is_missing_is_the_setups_fault(tmp_path: Path) -> None:
    text = ROWS.replace("for (int i = 0; i < 4; i++) a->rows", "for (int i = 1; i < 4; i++) a->rows")
    program = build(tmp_path, "change(a, a->rows: out int[4][5]) setup(make)", text)
    status, report, _, _ = run(program, *ONE_CASE)
    assert status == 86 and report[-1] == "fault setup make leaves NULL in a->rows[]"


OBJECT = """
#include <vector>
struct Base { int steps = 0; virtual ~Base() {} };
class Grid : public Base {
    std::vector<double> cells;
    std::vector<std::vector<float>> rows;
    enum class Mode : unsigned char { idle, busy } mode = Mode::idle;
    bool done = false;
public:
    explicit Grid(int n) : cells(n, 1.0), rows(2, std::vector<float>(3)) {}
    void step() { steps++, mode = Mode::busy, done = true, cells[2] = 4, rows[1][2] = 5; }
};
Grid *make() { return new Grid(4); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_private_members_and_vectors_of_an_object_are_compared(tmp_path: Path, compiler: str) -> None:
    values = values_of(build(tmp_path, "Grid::step(this) setup(make)", OBJECT, compiler, "-std=c++11"))
    assert [1, 1, 4, 1] in values.values()
    assert values["*this.steps"] == [1] and values["*this.mode"] == [1] and values["*this.done"] == [1]
    assert [0, 0, 0, 0, 0, 5] in values.values()


HOMONYMS = """
struct Key { double weight; long id; };
struct Agent { Key key; };
struct List { struct Part { double y; Part *next; } *head; };
namespace inner { struct Key { int number; union Union { int id; float weight; } value; }; }
struct Other { struct Part { float *x; int n; } first; };
void make(Agent &agent, List &list)
{
    agent.key = Key();
    list.head = new List::Part{1, nullptr};
    list.head->next = new List::Part{2, nullptr};
}
void step(Agent &agent, List &list)
{
    agent.key.weight = 3, agent.key.id = 4;
    for (List::Part *p = list.head; p; p = p->next) p->y *= 2;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_classes_of_one_name_in_several_scopes_are_told_apart(tmp_path: Path, compiler: str) -> None:
    values = values_of(build(tmp_path, "step(agent, list) setup(make)", HOMONYMS, compiler, "-std=c++11"))
    assert values["agent.key.weight"] == [3] and values["agent.key.id"] == [4]
    assert values["list.head.y"] == [2, 4]


BASES = """
#include <memory>
struct Left { int count; int left; };
struct Right { float count; int right; };
struct Both : Left, Right { int own; std::unique_ptr<int> owned; std::vector<std::unique_ptr<int>> all; };
Both *make()
{
    Both *both = new Both();
    both->all.emplace_back(new int(3));
    return both;
}
void step(Both *self) { self->left = 1, self->right = 2, self->own = 3; }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_name_that_two_bases_have_is_left_out(tmp_path: Path, compiler: str) -> None:
    """No expression tells which one is meant, as with the pointer in a std::unique_ptr."""
    text = f"#include <vector>{BASES}"
    values = values_of(build(tmp_path, "step(self) setup(make)", text, compiler, "-std=c++11"))
    assert values["*self.left"] == [1] and values["*self.right"] == [2] and values["*self.own"] == [3]
    assert "*self.count" not in values


def test_memory_that_a_setup_leaves_as_it_is_given_out_is_alike_in_each_call(tmp_path: Path) -> None:
    """Such as that behind the elements of a std::vector. Small allocations keep what they held when they were freed."""
    text = """
struct box { long *stale, *longer; };
struct box *make(void)
{
    static long calls;
    struct box *b = calloc(1, sizeof *b);
    for (int size = 8; size <= 16; size += 8) {
        long *old = malloc(size * sizeof *old);
        for (int k = 0; k < size; k++) old[k] = ++calls;
        free(old);
    }
    b->stale = malloc(8 * sizeof(long));
    b->longer = realloc(malloc(1), 16 * sizeof(long));
    return b;
}
void change(struct box *b) { b->stale[1] = b->longer[2] = 5; }
"""
    values = values_of(build(tmp_path, "change(b) setup(make)", text))
    assert values["b->stale"][1] == 5 and values["b->longer"][2] == 5
    assert len(set(values["b->stale"])) == 2


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_operators_of_an_object_are_called(tmp_path: Path, compiler: str) -> None:
    text = """
struct Filter { double state; double operator() (double in); Filter &operator += (const Filter &other); };
double Filter::operator() (double in) { return state += in; }
Filter &Filter::operator += (const Filter &other) { state += 4 * other.state; return *this; }
void make(Filter &self) { self.state = 1; }
void make_both(Filter &self, Filter &other) { self.state = 1, other.state = 2; }
"""
    values = values_of(build(tmp_path, "Filter::operator()(in = 0.5) setup(make)", text, compiler, "-std=c++11"))
    assert values["*this.state"] == [1.5]
    values = values_of(build(tmp_path, "Filter::operator+=(other) setup(make_both)", text, compiler, "-std=c++11"))
    assert values["*this.state"] == [9]
