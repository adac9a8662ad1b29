"""Casts of C++ beside brackets and comparisons, which are alike as text."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Call,
    Cast,
    Conditional,
    Declaration,
    Expression,
    Index,
    Items,
    Member,
    Name,
    Number,
    Unary,
)

HEAD = """\
namespace a { template <class T> struct V { typedef T type; }; template <class T> T half(T x) { return x / 2; } }
typedef unsigned word; enum class E { A };
"""
FORMALS = "int n, int m, int sum, float *v, double *p, unsigned char *bytes, int i, int j"
SET = "int x = 0; x = 2; float y = 1; y += 1; v[0] = 1; p[0] = 1;"


def shown(e: Expression) -> str:
    """With brackets around every operation."""
    match e:
        case Name(token) | Number(token):
            return token.text
        case Cast(type_, pointer, operand, operators):
            assert pointer == (operators != "")
            return f"({type_}{operators}){shown(operand)}"
        case Binary(op, left, right):
            return f"[{shown(left)} {op} {shown(right)}]"
        case Unary(op, operand):
            return f"{op.text}{shown(operand)}"
        case Index(base, subscript):
            return f"{shown(base)}[{shown(subscript)}]"
        case Member(base, name, _):
            return f"{shown(base)}.{name.text}"
        case Call(function, arguments):
            return f"{shown(function)}({', '.join(map(shown, arguments))})"
        case Conditional(a, b, c):
            return f"[{shown(a)} ? {shown(b)} : {shown(c)}]"
        case Items(parts):
            return f"{{{', '.join(map(shown, parts))}}}"
    return repr(e)


def last_value(text: str) -> Expression:
    source = f"{HEAD}template <class T> void f({FORMALS}) {{ {SET} {text} }}"
    (function,) = [f for f in read(Source("t.cpp", source), (), "c++").functions if f.name.text == "f"]
    declaration = function.body.statements[-1]
    assert isinstance(declaration, Declaration) and declaration.declarators[0].value is not None
    return declaration.declarators[0].value


READ = {
    "static_cast<int>(sum / static_cast<float>(x) + 0.5f)": "(int)[[sum / (float)x] + 0.5f]",
    "static_cast<T>(sum) - x": "[(T)sum - x]",
    "static_cast<a::V<int>::type>(x) * y": "[(a::V<int>::type)x * y]",
    "static_cast<typename a::V<T>::type>(x) + 1": "[(a::V<T>::type)x + 1]",
    "static_cast<double &&>(y) * 2": "[(double&&)y * 2]",
    "static_cast<decltype(x)>(y) + 1": "[(decltype(x))y + 1]",
    "*static_cast<const float *>(v) & x": "[*(float*)v & x]",
    "reinterpret_cast<const float (*)[4]>(p)[i][j] + 1": "[(float(*)[])p[i][j] + 1]",
    "reinterpret_cast<volatile word *>(bytes)[i]": "(wordvolatile*)bytes[i]",
    "const_cast<double *>(p)[i] - (x) + 1": "[[(double*)p[i] - x] + 1]",
    "static_cast<int>(E::A) + (n)": "[(int)E::A + n]",
    "a::half<double>(x) - 1": "[a::half<double>(x) - 1]",
    "a::V<T>::type(x) - (n)": "[a::V<T>::type(x) - n]",
    "typename a::V<T>::type(x) - 1": "[a::V<T>::type(x) - 1]",
    "T(x) * y": "[T(x) * y]",
    "T{x} * (y)": "[T({x}) * y]",
    "__builtin_bit_cast(unsigned int, y) + 1": "[__builtin_bit_cast(unsigned, y) + 1]",
    "i < n && j > (m) + 1": "[[i < n] && [j > [m + 1]]]",
    "i < static_cast<int>(n) && j > static_cast<int>(m) - 1": "[[i < (int)n] && [j > [(int)m - 1]]]",
    "static_cast<int>(x) > (n) - 1 ? i : (j)": "[[(int)x > [n - 1]] ? i : j]",
    "(x) and (n) - 1": "[x && [n - 1]]",
    "x >> (m) - 1": "[x >> [m - 1]]",
}


@pytest.mark.parametrize("text", READ)
def test_casts_and_comparisons(text: str) -> None:
    assert shown(last_value(f"auto r = {text};")) == READ[text]


@pytest.mark.parametrize(
    "declaration,value",
    [
        ("double *row(p + i * m);", "{[p + [i * m]]}"),
        ("const double *const row(&p[i]);", "{&p[i]}"),
        ("float &at(v[i]);", "{v[i]}"),
        ("auto *row(v);", "{v}"),
    ],
)
def test_a_pointer_or_reference_with_its_value_in_brackets(declaration: str, value: str) -> None:
    assert shown(last_value(declaration)) == value


def test_a_declared_function_that_returns_a_pointer() -> None:
    unit = read(Source("t.cpp", "struct s; double *f(s x); int &g(int n, s *p); double *h();"), (), "c++")
    assert [d.declarators[0].parameters is not None for d in unit.globals] == [True, True, True]
