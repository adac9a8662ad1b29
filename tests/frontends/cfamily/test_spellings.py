"""Code that text alone leaves open: what names are settles templates, casts, declarations and calls."""

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TypeVar

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.feed import Feeder
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Declaration,
    Evaluated,
    If,
    Index,
    Items,
    Member,
    Name,
    Opaque,
    Statement,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import tokens


def statements(text: str, before: str = "", formals: str = "int a, int i, int d") -> tuple[Statement, ...]:
    """Of a function with that body."""
    unit = read(Source("t.cpp", f"{before}\nvoid f({formals}) {{ {text} }}"), (), "c++")
    (function,) = [f for f in unit.functions if f.name.text == "f"]
    return function.body.statements


def value(text: str, before: str = "", formals: str = "int a, int i, int d") -> object:
    """What the body's declaration begins with."""
    (declaration,) = statements(text, before, formals)
    assert isinstance(declaration, Declaration)
    return declaration.declarators[0].value


def test_a_variable_before_an_angle_is_compared() -> None:
    both = value("bool c = a < 4 && i > (d);")
    assert isinstance(both, Binary) and isinstance(both.left, Binary) and isinstance(both.right, Binary)
    assert (both.op, both.left.op, both.right.op) == ("&&", "<", ">")
    assert isinstance(both.left.left, Name) and both.left.left.text == "a"


def test_a_function_template_before_an_angle_is_called() -> None:
    read_value = value("int c = half<4>(d);", "template <int n> int half(int x) { return x / n; }")
    assert isinstance(read_value, Call) and isinstance(read_value.function, Name)
    assert read_value.function.text == "half<4>"


@pytest.mark.parametrize("operand,kind", [("-1", Unary), ("(d)", Name), ("~d", Unary), ("*p", Unary)])
def test_brackets_around_the_name_of_a_type_cast(operand: str, kind: type) -> None:
    read_value = value(f"word r = (word) {operand};", "typedef unsigned word;", "int d, int *p")
    assert isinstance(read_value, Cast) and read_value.type == "word" and isinstance(read_value.operand, kind)


def test_brackets_around_a_variable_do_not_cast() -> None:
    assert isinstance(value("int r = (a) - 1;"), Binary)


def test_a_declaration_with_values_in_brackets_makes_an_object() -> None:
    (declaration,) = statements("vec v(a);", "struct vec { vec(int n); };")
    assert isinstance(declaration, Declaration)
    (declarator,) = declaration.declarators
    assert declarator.parameters is None and isinstance(declarator.value, Items)
    assert [part.text for part in declarator.value.parts if isinstance(part, Name)] == ["a"]


def test_a_declaration_with_types_in_brackets_is_a_function() -> None:
    (declaration,) = statements("vec v(word);", "typedef unsigned word; struct vec { int n; };")
    assert isinstance(declaration, Declaration)
    assert declaration.declarators[0].parameters is not None


def test_an_array_of_pointers_is_made() -> None:
    assert isinstance(value("int **rows = new int*[a];"), Opaque)


def test_a_member_pointer_is_called() -> None:
    text = "struct s { void (s::*step)(int); void run(int x) { (this->*step)(x); } };"
    (method,) = read(Source("t.cpp", text), (), "c++").functions
    (called,) = method.body.statements
    assert isinstance(called, Evaluated) and isinstance(called.expression, Call)


@pytest.mark.parametrize("word", ["unsigned", "long", "short", "int", "float"])
def test_an_arithmetic_type_is_called_as_a_function(word: str) -> None:
    read_value = value(f"int r = 1 + {word}(g(a));", "int g(int x);")
    assert isinstance(read_value, Binary) and isinstance(read_value.right, Call)
    assert isinstance(read_value.right.function, Name) and read_value.right.function.text == word


@pytest.mark.parametrize("kind", ["int", "char *", "struct point *"])
def test_the_type_among_the_arguments_of_va_arg_is_read(kind: str) -> None:
    text = f"void f(__builtin_va_list list) {{ auto x = __builtin_va_arg(list, {kind}); }}"
    (function,) = read(Source("t.cpp", f"struct point {{ int x; }};\n{text}"), (), "c++").functions
    (declaration,) = function.body.statements
    assert isinstance(declaration, Declaration) and isinstance(declaration.declarators[0].value, Call)


@pytest.mark.parametrize(
    "call", ["DEBUG(3, int n = 0; print(n););", "CHECK(a, return);", "CHECK(a, goto out);", "if (a) CHECK(a, break);"]
)
def test_statements_in_the_arguments_of_an_unknown_macro_are_left_out(call: str) -> None:
    first, last = statements(f"{call} i = 0;")
    assert isinstance(last, Evaluated)
    inner = first.then if isinstance(first, If) else first
    assert isinstance(inner, Evaluated)
    assert isinstance(inner.expression, Call) and inner.expression.arguments == ()


def test_a_long_chain_of_calls_is_read() -> None:
    calls = "".join(f".run(a, {n})" for n in range(120))
    (made,) = statements(f"task(){calls};", "struct task { task run(int, int); };")
    assert isinstance(made, Evaluated)
    depth, inner = 0, made.expression
    while isinstance(inner, Call) and isinstance(inner.function, Member):
        depth, inner = depth + 1, inner.function.base
    assert depth == 120


def test_a_named_cast_is_subscripted() -> None:
    read_value = value("int r = reinterpret_cast<int *>(p)[a];", "", "int a, char *p")
    assert isinstance(read_value, Index) and isinstance(read_value.base, Cast)
    assert (read_value.base.type, read_value.base.pointer) == ("int", True)


@pytest.mark.parametrize(
    "written,read_as",
    [
        ("ap_uint<2 * (2 + N)>", "ap_uint<2 * ( 2 + N )>"),
        ("ap_uint<(N >> 1)>", "ap_uint<( N >> 1 )>"),
        ("stream<vec<int>>", "stream<vec<int>>"),
        ("stream<int *>", "stream<int *>"),
    ],
)
def test_the_arguments_of_a_type_keep_their_operators(written: str, read_as: str) -> None:
    templates = (
        "template <int n> struct ap_uint { }; template <class T> struct vec { }; template <class T> struct stream { };"
    )
    declaration, cast = statements(f"{written} x; x = ({written}) a;", templates + "const int N = 4;")
    assert isinstance(declaration, Declaration) and declaration.words == (read_as,)
    assert isinstance(cast, Evaluated) and isinstance(cast.expression, Assign)
    assert isinstance(cast.expression.value, Cast) and cast.expression.value.type == read_as


def test_structs_without_a_name_in_one_header_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "types.h").write_text("typedef struct { int a; } first;\ntypedef struct { float b, c; } second;\n")
    unit = read(Source(str(tmp_path / "t.cpp"), '#include "types.h"\nsecond s;\n'), (), "c++")
    members = {
        name: [d.name.text for m in unit.records[alias.words[-1]].members for d in m.declarators]
        for name, alias in unit.aliases.items()
    }
    assert members == {"first": ["a"], "second": ["b", "c"]}


def test_a_declaration_alone_after_a_condition_is_one() -> None:
    (branch,) = statements("if (a) ap_uint<1> x = g(i);", "int g(int x);")
    assert isinstance(branch, If) and isinstance(branch.then, Declaration)
    assert branch.then.words == ("ap_uint<1>",)
    (declarator,) = branch.then.declarators
    assert declarator.name.text == "x" and isinstance(declarator.value, Call)


def test_operators_of_brackets_have_their_names() -> None:
    text = "struct s { int operator()(int x) const { return x; } int &operator[](int i) { return v[i]; } int v[4]; };"
    functions = read(Source("t.cpp", text), (), "c++").functions
    assert [f.name.text for f in functions] == ["operator()", "operator[]"]
    assert [len(f.formals) for f in functions] == [1, 1]


T = TypeVar("T")


class CountingTypes(frozenset[str]):
    """Counts how often it is united with others."""

    unions = 0

    def __or__(self, other: AbstractSet[T]) -> frozenset[str | T]:
        CountingTypes.unions += 1
        return super().__or__(other)


def test_casts_that_macros_make_unite_no_sets_each() -> None:
    counts = []
    for casts in (1, 500):
        CountingTypes.unions = 0
        text = "x = " + " + ".join(["(u64)(y)"] * casts) + ";"
        Feeder(list(tokens(text)), CountingTypes({"u64"}), False).feed()
        counts.append(CountingTypes.unions)
    assert counts[0] == counts[1]


PARAMETERS_WITHOUT_NAMES = [
    "const char *read(int &, unsigned &)",
    "double *read(int, int)",
    "const int *read(const box &, const int *)",
    "void read(const std::vector<int> & = {})",
    "void read(std::vector<int> * = 0, int = 1)",
    "void read(box && = box{1, {2, 3}}, int * = nullptr)",
]


@pytest.mark.parametrize("declaration", PARAMETERS_WITHOUT_NAMES)
def test_functions_whose_parameters_have_no_names(declaration: str) -> None:
    before = "struct box;\nlong twice(unsigned int n) { int x = n; return (unsigned int)x; }"
    text = f"{before}\nstruct all {{ int first; {declaration}; int last; }};\n{declaration};\nint after;\n"
    unit = read(Source("t.cpp", text), (), "c++")
    assert not unit.faults
    assert [d.name.text for m in unit.records["all"].members for d in m.declarators] == ["first", "last"]
    found = [(d.name.text, d.parameters is None) for v in unit.variables for d in v.declarators]
    assert found == [("read", False), ("after", True)]
