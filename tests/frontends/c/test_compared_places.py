"""Every member of what a setup makes is compared, or told by name with the reason."""

from __future__ import annotations

import pytest

from tests.frontends.c.test_setup import read
from tunepass.diagnostics import SourceError

WHOLE = "*b"


def places_of(members: str, before: str = "", suffix: str = ".c") -> tuple[list[str], list[str]]:
    """The places of a struct with these members and one number, and the warnings."""
    functions = f"{before}\nstruct box {{ int n; {members} }};\nvoid make(struct box **b);"
    kernel = "void change(struct box *b) { b->n = 1; }"
    call, warnings = read("change(b) setup(make)", functions, kernel, suffix)
    assert call.setup is not None
    return [place.text for place in call.setup.places], [warning.message for warning in warnings]


@pytest.mark.parametrize(
    ("before", "members", "places"),
    [
        ("typedef double real3[3];", "real3 *f;", ["b->f", WHOLE]),
        ("typedef double real3[3];", "real3 f;", [WHOLE]),
        ("", "double (*f)[3][4];", ["b->f", WHOLE]),
        ("", "int **rows;", ["b->rows", WHOLE, "b->rows[]"]),
        ("", "double ***layers;", ["b->layers", WHOLE, "b->layers[]", "b->layers[][]"]),
        ("typedef double *row;", "row *rows;", ["b->rows", WHOLE, "b->rows[]"]),
        ("typedef double real3[3];", "real3 **rows;", ["b->rows", WHOLE, "b->rows[]"]),
        ("", "int *rows[4];", ["b->rows", WHOLE, "b->rows[]"]),
        ("struct cell { double *v; int k; };", "struct cell *cells;", ["b->cells", WHOLE, "b->cells[].v"]),
        ("struct cell { double *v; int k; };", "struct cell inner;", ["b->inner.v", WHOLE]),
        ("struct cell { double *v; int k; };", "struct cell few[2];", ["b->few[0].v", "b->few[1].v", WHOLE]),
        ("struct cell { double v; };", "struct cell many[100];", [WHOLE, "b->many"]),
        ("struct node { struct node *next; int k; };", "struct node *first;", ["b->first", WHOLE]),
        ("struct node { struct node *sides[2]; int k; };", "struct node *root;", ["b->root", WHOLE]),
        ("struct node { struct node **more; int k; };", "struct node *root;",
         ["b->root", WHOLE, "b->root[].more", "b->root[].more[]", "b->root[].more[][].more",
          "b->root[].more[][].more[]"]),
        ("", "struct { double x; } *points;", ["b->points", WHOLE]),
        ("", "struct { double *x; };", ["b->x", WHOLE]),
        ("", "enum { ON, OFF } *states;", ["b->states", WHOLE]),
        ("", "double _Complex *z;", ["b->z", WHOLE]),
        ("", "union { int i; float f; } *u;", ["b->u", WHOLE]),
        ("", "double tail[];", ["b->tail", WHOLE]),
        ("", "void (*callback)(int);", [WHOLE]),
    ],
)  # fmt: skip
def test_what_pointers_lead_to_is_compared_whatever_its_type(before: str, members: str, places: list[str]) -> None:
    assert places_of(members, before) == (places, [])


@pytest.mark.parametrize(
    ("before", "members", "named", "why"),
    [
        ("", "void *opaque;", "`b->opaque`", "of type `void`"),
        ("", "void **table;", "`b->table[]`", "of type `void`"),
        ("struct hidden;", "struct hidden *h;", "`b->h`", "of the unknown type `struct hidden`"),
        ("", "int flag : 3;", "`b->flag`", "a bit-field"),
        ("", "union { int *p; double d; } u;", "`b->u`", "a union that holds pointers"),
        ("", "union { int i; float f; };", "`b->i`, `b->f`", "in a union without a name"),
        ("struct cell { int f : 3; int k; };", "struct cell *cells;", "`b->cells[].f`", "a bit-field"),
        ("struct cell { int k; double v[]; };", "struct cell *cells;", "`b->cells[].v`", "without a length"),
        ("", "__int128 wide;", "`b->wide`", "of type `__int128`"),
        ("", " ".join(f"double *p{k};" for k in range(45)), "`b->p44`", "behind the last place"),
        ("", " ".join(f"double d{k};" for k in range(300)), "`b->d299`", "behind the first 256 members"),
    ],
)  # fmt: skip
def test_what_is_not_compared_is_told_by_name(before: str, members: str, named: str, why: str) -> None:
    _, warnings = places_of(members, before)
    assert any(why in message and named in message for message in warnings)


def test_all_names_of_what_is_not_compared_are_told() -> None:
    _, (message,) = places_of(" ".join(f"void *p{k};" for k in range(30)))
    assert all(f"`b->p{k}`" in message for k in range(30))


@pytest.mark.parametrize(
    ("parameter", "named"),
    [("Grid &g", "`g`"), ("const hidden &g", "`g`"), ("std::vector<double> &g", "`g`"), ("hidden *g", "`g`")],
)
def test_arguments_of_classes_are_told(parameter: str, named: str) -> None:
    functions = f"struct hidden;\nclass Grid;\nvoid make({parameter.replace('const ', '')});"
    kernel = f"int change({parameter}) {{ return 1; }}"
    _, warnings = read("change(g) setup(make)", functions, kernel, ".cpp")
    assert [message for message in (w.message for w in warnings) if "not compared" in message and named in message]


@pytest.mark.parametrize("this", ["this", ""])
def test_an_object_is_compared_by_its_members(this: str) -> None:
    functions = "class Grid { double *cells; int n; public: void step() { n++; } };\nGrid *make();"
    call, warnings = read(f"Grid::step({this}) setup(make)", functions, "", ".cpp")
    assert call.setup is not None and not warnings
    assert [place.text for place in call.setup.places] == ["this->cells", "*this"]
    assert call.entry is not None and call.entry.flags == ("-fno-access-control",)


def test_where_nothing_is_compared_the_kernel_is_refused() -> None:
    functions = "struct box { void *all; };\nvoid make(struct box *b);"
    with pytest.raises(SourceError, match="its result cannot be checked"):
        read("change(b) setup(make)", functions, "void change(const struct box *b) { (void)b; }")


@pytest.mark.parametrize(("formal", "place"), [("*b", "b->cells"), ("b", "b.cells"), ("&b", "b.cells")])
def test_what_the_pointers_of_a_constant_struct_lead_to_may_be_written(formal: str, place: str) -> None:
    functions = "struct box { int n; double *cells; };\nvoid make(struct box **b);"
    functions = functions if formal == "*b" else functions.replace("**b", "*b")
    call, warnings = read("change(b) setup(make)", functions, f"void change(const struct box {formal}) {{ }}", ".cpp")
    assert call.setup is not None and not warnings
    assert [found.text for found in call.setup.places] == [place]


def test_a_result_of_an_unknown_type_is_a_cause() -> None:
    with pytest.raises(SourceError, match="no argument of `f` is written and what `f` returns is not compared"):
        read("f(b) setup(make)", "struct far;\nvoid make(int *b);", "struct far f(const int *b) { }", ".cpp")


@pytest.mark.parametrize(
    ("member", "place", "parts"),
    [
        ("int **rows", "rows: out int[10][n]", [("b->rows", "(10)"), ("b->rows[]", "(n)")]),
        ("int *rows[10]", "rows: out int[10][n]", [("b->rows", "(10)"), ("b->rows[]", "(n)")]),
        ("int ***all", "all: out int[2][3][n]", [("b->all", "(2)"), ("b->all[]", "(3)"), ("b->all[][]", "(n)")]),
        ("int (**all)[4]", "all: out int[2][3][4]", [("b->all", "(2)"), ("b->all[]", "(3)*(4)")]),
        ("real3 *f", "f: out real3[n]", [("b->f", "(n)*(3)")]),
        ("real3 *f", "f: out double[3 * n]", [("b->f", "(3 * n)")]),
        ("real3 **f", "f: out real3[2][n]", [("b->f", "(2)"), ("b->f[]", "(n)*(3)")]),
        ("real3 f", "f: out real3", [("b->f", "")]),
    ],
)
def test_named_places_have_a_length_for_each_pointer(member: str, place: str, parts: list[tuple[str, str]]) -> None:
    functions = f"typedef double real3[3];\nstruct box {{ {member}; }};\nvoid make(struct box **b);"
    call, _ = read(f"change(b, n = 5, b->{place}) setup(make)", functions, "void change(struct box *b, int n) {}")
    assert call.setup is not None
    assert [(one.text, one.length) for one in call.setup.places] == parts
    assert [one.direction for one in call.setup.places] == ["inout"] * (len(parts) - 1) + ["out"]


@pytest.mark.parametrize(
    ("place", "message", "hint"),
    [
        ("b->rows: out int[10]", "`b->rows` is an array of pointers", "`b->rows: out int[ROWS][LENGTH]`"),
        ("b->rows: in int[10][5] range(0, 9)", "rows cannot be filled", "let the setup fill them"),
    ],
)
def test_places_of_pointers_need_the_lengths_of_their_rows(place: str, message: str, hint: str) -> None:
    functions = "struct box { int **rows; };\nvoid make(struct box **b);"
    with pytest.raises(SourceError) as caught:
        read(f"change(b, {place}) setup(make)", functions, "void change(struct box *b) {}")
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message and hint in str(diagnostic.hint)
    assert diagnostic.span is not None and diagnostic.span.text == "b->rows"
