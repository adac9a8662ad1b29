"""C++ as people write it, by g++ and by clang++."""

from __future__ import annotations

import pytest

from tests.frontends.cfamily.types.asking import (
    CPP,
    answer,
    function,
    local_variables,
    parameters,
    type_of,
    with_cpp,
)
from tunepass.frontends.cfamily.types.ask import FunctionSignature, Refusal, Rung, TypeAnswer
from tunepass.frontends.cfamily.types.leaves import leaves
from tunepass.frontends.cfamily.types.model import Enumeration, Record, UnspellableError, all_members

TEXT = """\
#include <vector>
namespace phys { namespace {
struct Hidden { int a; };
double use(Hidden &h) { return h.a; }
}
struct Named { double label; };
class Mesh : public Named { public:
  double at(int i) const { return v[i]; }
  static int count(long n) { return n; }
  Mesh(int n) : v(n) { }
  virtual ~Mesh() { }
  double &operator()(int i, int j);
  template <class T> T scaled(T f) { return f * v[0]; }
  static double total;
  using value = double;
  std::vector<double> v; int bits : 3;
};
double Mesh::total = 1;
double &Mesh::operator()(int i, int j) { return v[i + j]; }
int run(Mesh &m, const std::vector<double> &x, std::size_t n, Mesh &&t, Mesh::value w, decltype(nullptr) np)
{ auto k = n; auto f = [&](int z) { return z + k; }; for (auto &e : x) { double q = e; (void)q; }
  struct Inner {
    static int twice(int a) { return 2 * a; }
  };
  m.scaled(2.0f); m.scaled(2.0); return f(1) + Inner::twice(2); }
}
int over(int a) { return a; }
int over(double a) { return a; }
template <typename T, int N> T dot(const T (&a)[N], const T *b) { T s = 0;
  for (int i = 0; i < N; i++) s += a[i] * b[i]; return s; }
double use_dot() { double a[3] = {}; float c[4] = {}; return dot(a, a) + dot(c, c); }
template <typename T> T lone(T a) { return a; }
extern "C" { void plain(double *__restrict p) { p[0] = 1; } }
extern "C" int single(bool b) { return 0; }
inline int never(std::vector<int> s) { return 1; }
constexpr int square(int x) { return x * x; }
thread_local double tls[4];
double &refers = tls[0];
enum class Color : unsigned char { red = 200, blue };
typedef int &reference;
template <class T> struct Box { T v; T get(int i) const { return v; } };
Box<double> box; double use_box() { return box.get(1); }
double squares[square(4)];
void (phys::Mesh::*member)(int);
"""
NAMES = (
    "refers",
    "reference",
    "phys::Mesh",
    "phys::Mesh::total",
    "Color",
    "nope::x",
    "box",
    "squares",
    "tls",
    "member",
)
FUNCTIONS = (
    function(TEXT, "double use(", "phys::use"),
    function(TEXT, "double at", "at"),
    function(TEXT, "static int count", "phys::Mesh::count"),
    function(TEXT, "Mesh(int n)", "Mesh"),
    function(TEXT, "virtual ~Mesh", "Mesh::~Mesh"),
    function(TEXT, "double &Mesh::operator()", "Mesh::operator()"),
    function(TEXT, "template <class T> T scaled", "scaled", True),
    function(TEXT, "int run"),
    function(TEXT, "static int twice", "twice"),
    function(TEXT, "int over(int", "over"),
    function(TEXT, "int over(double", "over"),
    function(TEXT, "template <typename T, int N> T dot", "dot", True),
    function(TEXT, "template <typename T> T lone", "lone", True),
    function(TEXT, 'extern "C" { void plain', "plain"),
    function(TEXT, 'extern "C" int single', "single"),
    function(TEXT, "inline int never", "never"),
    function(TEXT, "constexpr int square", "square"),
    function(TEXT, "T get", "get", True),
)


@pytest.fixture(scope="module", params=CPP)
def told(request: pytest.FixtureRequest) -> TypeAnswer:
    given = answer(TEXT, [request.param, "-std=c++17"], FUNCTIONS, (*NAMES, "&phys::Mesh::at"), name="mesh.cpp")
    assert given.failure is None and given.rung is Rung.AS_WRITTEN
    return given


def named(told: TypeAnswer, name: str) -> FunctionSignature:
    found = next(value for (key, _), value in told.functions.items() if key == name)
    assert isinstance(found, FunctionSignature), found
    return found


def test_references_classes_and_typedefs_keep_their_scopes(told: TypeAnswer) -> None:
    run = named(told, "run")
    assert parameters(run)[0] == "phys::Mesh &m" and parameters(run)[2:5] == [
        "std::size_t n",
        "phys::Mesh &&t",
        "phys::Mesh::value w",
    ]
    assert parameters(run)[1].startswith("const std::vector<double") and run.namespace == ("phys",)
    assert run.result.declare("f") == "int f" and not run.static


def test_locals_of_auto_have_types_and_a_lambda_has_no_spelling(told: TypeAnswer) -> None:
    types = {local.name: local.type for local in named(told, "run").locals}
    assert set(types) == {"k", "f", "e", "q"}
    assert types["k"].size == 8 and types["e"].declare("e") == "const double &e"
    with pytest.raises(UnspellableError):
        types["f"].declare("f")


def test_members_know_their_class_and_object(told: TypeAnswer) -> None:
    at, count, call = named(told, "at"), named(told, "phys::Mesh::count"), named(told, "Mesh::operator()")
    for member in (at, count, call, named(told, "Mesh"), named(told, "Mesh::~Mesh")):
        assert isinstance(member.member_of, Record) and member.member_of.name == "phys::Mesh"
    assert at.this is not None and at.this.declare("t") == "const phys::Mesh *t" and not at.static
    assert count.static and count.this is None
    assert parameters(call) == ["int i", "int j"] and call.result.declare("r") == "double &r"
    assert parameters(named(told, "Mesh")) == ["int n"] and named(told, "Mesh").instances == ()
    assert parameters(named(told, "twice")) == ["int a"]


def test_overloads_are_told_apart_by_line(told: TypeAnswer) -> None:
    over = [value for (name, _), value in sorted(told.functions.items()) if name == "over"]
    assert [parameters(each) for each in over if isinstance(each, FunctionSignature)] == [["int a"], ["double a"]]


def test_each_instance_of_a_template_is_typed(told: TypeAnswer) -> None:
    dot = named(told, "dot")
    assert [instance.name for instance in dot.instances] == ["dot<double, 3>", "dot<float, 4>"]
    assert [parameters(instance)[0] for instance in dot.instances] == ["const double (&a)[3]", "const float (&a)[4]"]
    assert local_variables(dot) == ["double s", "int i"]
    assert [each.name for each in named(told, "scaled").instances] == ["scaled<double>", "scaled<float>"]
    box = named(told, "get")
    assert isinstance(box.member_of, Record) and box.member_of.name == "Box<double>" and len(box.instances) == 1
    lone = next(value for (name, _), value in told.functions.items() if name == "lone")
    assert isinstance(lone, Refusal) and lone.reason == "template without an instance" and lone.line


def test_linkage_inline_constexpr_and_anonymous_namespaces(told: TypeAnswer) -> None:
    assert parameters(named(told, "plain")) == ["double *__restrict p"] and parameters(named(told, "single")) == [
        "bool b"
    ]
    assert len(named(told, "never").parameters) == 1 and parameters(named(told, "square")) == ["int x"]
    use = named(told, "phys::use")
    assert use.static and use.namespace == ("phys", "") and parameters(use) == ["phys::Hidden &h"]


def test_names_of_cpp_are_typed(told: TypeAnswer) -> None:
    types = {name: told.types[name] for name in NAMES}
    assert isinstance(types.pop("nope::x"), Refusal)
    assert {name: type_of(told, name).declare("x") for name in types} == {
        "refers": "double x",
        "reference": "reference x",
        "phys::Mesh": "phys::Mesh x",
        "phys::Mesh::total": "double x",
        "Color": "Color x",
        "box": "Box<double> x",
        "squares": "double x[16]",
        "tls": "double x[4]",
        "member": "void (phys::Mesh::*x)(int)",
    }
    assert type_of(told, "&phys::Mesh::at").declare("x") == "double (phys::Mesh::*x)(int) const"
    color = type_of(told, "Color")
    assert isinstance(color, Enumeration) and color.scoped and color.size == 1
    assert color.enumerators == (("red", 200), ("blue", 201))


def test_layouts_of_classes_have_bases_and_the_virtual_table(told: TypeAnswer) -> None:
    mesh = type_of(told, "phys::Mesh")
    assert isinstance(mesh, Record)
    assert [(member.name, member.offset) for member in all_members(mesh) if not member.artificial] == [
        ("label", 8),
        ("v", 16),
        ("bits", 40),
    ]
    assert [member.artificial for member in mesh.members] == [True, False, False]
    assert [leaf.offset for leaf in leaves(mesh)] == [8, 0, 16, 24, 32, 40]


@with_cpp
def test_a_declaration_compiles_again(cc: str, told: TypeAnswer) -> None:
    """What `declare` writes is C++ that the same compiler accepts, with the same type."""
    run = named(told, "run")
    lines = "".join(f"extern {text};\n" for text in parameters(run) if "&&" not in text)
    again = answer(TEXT + lines, [cc, "-std=c++17"], [], ["m", "x", "n", "w"], name="again.cpp")
    assert (
        type_of(again, "w").declare("w") == "phys::Mesh::value w"
        and type_of(again, "n").declare("n") == "std::size_t n"
    )
