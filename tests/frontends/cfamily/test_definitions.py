from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, definitions
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.types.declared import canonical_type


def listed(text: str, cpp: bool = True) -> tuple[FunctionDefinition, ...]:
    return definitions(read(Source("t.cpp" if cpp else "t.c", text), (), "c++" if cpp else "c"))


def found(text: str) -> dict[str, FunctionDefinition]:
    cpp = any(word in text for word in ("namespace", '"C"', "noexcept", "std::", "inline int"))
    return {d.name: d for d in listed(text, cpp)}


@pytest.mark.parametrize(
    "text,name,prototype",
    [
        ("void f(int n) { n++; }", "f", "void f(int n)"),
        (
            "static inline double\nf(const double *x,\n  int n)\n{ return x[n]; }",
            "f",
            "static inline double f(const double *x, int n)",
        ),
        ("struct s { int a; };\nint g(struct s *p) { return p->a; }", "g", "int g(struct s *p)"),
        ("int a[] = {1, 2};\nint *h(void) { return a; }", "h", "int *h(void)"),
        ('extern "C" {\nvoid f(int n) { }\n}', "f", 'extern "C" void f(int n)'),
        ('extern "C" void f(int n) { }', "f", 'extern "C" void f(int n)'),
        ('extern "C" {\nint g(void);\n}\nvoid f(int n) { }', "f", "void f(int n)"),
        ("namespace a { namespace b {\nvoid f(int n) { } } }", "f", "void f(int n)"),
        ("__attribute__((noinline)) void f(int n) { if (n) { } }", "f", "__attribute__((noinline)) void f(int n)"),
        ("#define X {\nvoid /* c */ f(int n /* d */)\n#ifdef Y\n#endif\n{ }", "f", "void f(int n)"),
        ("void f(int (*call)(int, int), int n) { }", "f", "void f(int (*call)(int, int), int n)"),
        ("int f(int n) noexcept { return n; }", "f", "int f(int n)"),
    ],
)
def test_definitions_are_found(text: str, name: str, prototype: str) -> None:
    definition = found(text)[name]
    assert definition.prototype == prototype
    assert text[definition.name_start :].startswith(name)
    assert text[definition.body_start] == "{" and text[definition.body_end - 1] == "}"


def test_what_is_no_definition() -> None:
    text = "void f(int n);\nint x = (3);\nLOOP(i) { }\nstruct s { int f; };\nvoid g(void) { h(); if (a) { k(1); } }\n"
    assert set(found(text)) == {"g"}


def test_formals() -> None:
    text = (
        "void f(int n, const double *restrict A, double C[n][n], unsigned long, float *const p, size_t m, real_t *r) {}"
    )
    formals = found(text)["f"].formals
    assert [f.name for f in formals] == ["n", "A", "C", "", "p", "m", "r"]
    assert [f.pointer for f in formals] == [False, True, True, False, True, False, True]
    assert [f.element for f in formals] == ["int", "double", "double", "unsigned long", "float", "size_t", "real_t"]
    assert [f.constant for f in formals] == [False, True, False, False, False, False, False]


def test_void_means_no_formals() -> None:
    assert found("int f(void) { return 0; }")["f"].formals == ()
    assert found("int f() { return 0; }")["f"].formals == ()


@pytest.mark.parametrize(
    "text,expected",
    [
        ("long int", "long"),
        ("unsigned", "unsigned int"),
        ("signed", "int"),
        ("unsigned char", "unsigned char"),
        ("const double", "double"),
        ("long double", "long double"),
        ("long long", "long long"),
        ("uint32_t", "uint32_t"),
    ],
)
def test_canonical_type(text: str, expected: str) -> None:
    assert canonical_type(text) == expected


def test_what_other_files_cannot_call() -> None:
    text = "static int a(void) { }\ninline int b(void) { }\nnamespace n { int c(void) { } }\nint d(void) { }\n"
    assert [d.private for d in found(text).values()] == ["`static`", "`inline`", "in a namespace", ""]


def test_a_declaration_can_say_static() -> None:
    text = "static int a(void), b;\nstatic inline int c(int);\n"
    text += "int a(void) { return b; }\nint c(int n) { return n; }\nint d(void) { }\n"
    assert [d.private for d in listed(text, cpp=False)] == ["`static`", "`static`", ""]


CPP = [
    ("namespace blas { double dot(int n) { return n; } }", "blas::dot", "double", None),
    ("namespace a::b { namespace { void f(int n) { } } }", "a::b::f", "void", None),
    ("template <class T, int N = (4 > 2)> T f(T x) { return x; }", "f", "T", "class T, int N = (4 > 2)"),
    ("template <> float f<float>(float x) { return x; }", "f", "float", ""),
    ("struct S : base<int> { static void step(int n) { } };", "S::step", "void", None),
    ("template <class T> class S final { public: static inline T f(T x) { return x; } };", "S::f", "T", None),
    ("template <class T> void S<T>::f(int n) { }", "S::f", "void", None),
    ("template <class T> template <int N> void S<T>::f(int n) { }", "S::f", "void", "int N"),
    ("auto f(int n) -> double { return n; }", "f", "double", None),
    ("auto f(int n) noexcept(sizeof(int) > 2) -> std::vector<int> { return {}; }", "f", "std::vector<int>", None),
    ("[[nodiscard]] constexpr int f(int n = 3) noexcept { return n; }", "f", "int", None),
    ("__attribute__((noinline)) static double f(int n) { return n; }", "f", "double", None),
    ("void f(std::vector<int> v = {}, int n = g(1, 2)) { }", "f", "void", None),
    ("template <class T> requires (sizeof(T) > 1) void f(T x) { }", "f", "void", "class T"),
    ("template <class T> requires std::integral<T> && (sizeof(T) > 1) T f(T x) { }", "f", "T", "class T"),
    ("std::vector<double>\nf(const std::vector<double> &x) { return x; }", "f", "std::vector < double >", None),
    ("inline T const& f(int n) { return t; }", "f", "T const &", None),
]


@pytest.mark.parametrize("text,qualified,returns,template", CPP, ids=[text[:40] for text, *_ in CPP])
def test_definitions_of_cpp(text: str, qualified: str, returns: str, template: str | None) -> None:
    (definition,) = listed(text)
    assert (definition.qualified, definition.returns, definition.template) == (qualified, returns, template)
    assert definition.name in text[definition.name_start :].partition("(")[0]


@pytest.mark.parametrize(
    "text",
    [
        "bool operator<(S a, S b) { return true; }",
        "struct S { void *operator new(size_t n) { return 0; } explicit operator bool() const { return true; } };",
        "enum class E { A, B };\nconst auto f = [](int n) { return n; };",
        "int x{3}; std::vector<int> v{1, 2};",
    ],
)
def test_what_is_no_definition_of_cpp(text: str) -> None:
    assert listed(text) == ()


def test_operators_are_named_without_spaces() -> None:
    text = "S operator + (S a, S b) { return a; }\nstruct F { int operator()(int n) { return n; } };"
    text += "\nint &V::operator [] (int n) { return at(n); }"
    text += "\nvoid apply_operator(int n) { }"
    names = ["operator+", "F::operator()", "V::operator[]", "apply_operator"]
    assert [d.qualified for d in listed(text)] == names


def test_members_and_their_access() -> None:
    text = "class S {\n int a() { }\npublic:\n static int b() { }\n int c() { }\nprivate: int d() { }\n};\nint e() { }"
    found_ = [(d.name, d.member, [s.access for s in d.scopes]) for d in listed(text)]
    assert found_ == [
        ("a", True, ["private"]),
        ("b", False, ["public"]),
        ("c", True, ["public"]),
        ("d", True, ["private"]),
        ("e", False, []),
    ]


def test_formals_of_cpp() -> None:
    text = (
        "void f(std::size_t n, const double &a, double (&A)[4][8], const std::vector<float> &x, std::span<int> y,"
        " std::array<double, 8> &z, T b, const unsigned char *c = nullptr, double &s) {}"
    )
    formals = found(text)["f"].formals
    assert [f.name for f in formals] == ["n", "a", "A", "x", "y", "z", "b", "c", "s"]
    assert [f.element for f in formals] == [
        "size_t",
        "double",
        "double",
        "float",
        "int",
        "double",
        "T",
        "unsigned char",
        "double",
    ]
    assert [f.pointer for f in formals] == [False, False, True, False, False, False, False, True, False]
    assert [f.container for f in formals] == [False, False, False, True, True, True, False, False, False]
    assert [f.constant for f in formals] == [False, True, False, True, False, False, False, True, False]
    assert [f.reference for f in formals] == [False, True, True, True, False, True, False, False, True]


@pytest.mark.parametrize("name", ["t.c", "t.cpp"])
def test_a_variable_in_brackets_before_a_sign_is_no_cast(name: str) -> None:
    text = "typedef int T;\nint f(int n, T k) { int i; i = n; return (i) + n * (k) + (T) -n; }"
    (function,) = read(Source(name, text), (), "c++" if name.endswith("pp") else "c").functions
    tree = str(function.body)
    assert tree.count("Cast(") == 1 and "Cast(type='T'," in tree
