"""Constants that pragmas name with scopes: their values, and what the compiler is left to work out."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.algebra import number
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.constants.scoped_constants import qualified_names, scoped_constants
from tunepass.frontends.cfamily.reading import read
from tunepass.ir.c_kernel import ArrayArgument, CKernel, KernelCall, NamedArgument, ScalarArgument

TEXT = """
constexpr int n = 3;
enum Plain { zero, one };
namespace op {
constexpr long n = 100 * (int)2;
enum class Mode : int { Once = 1, Twice = Once + 1, Thrice };
namespace inner { enum class Mode { Once = 7 }; const double half = 0.5; enum { last = n + 1 }; }
struct S {
    static const int k = n + 1;
    static const int unknown;
    enum kind { a = k * 2, b };
    struct T { enum class E { x = b }; };
};
template <class T> struct traits { static constexpr int size = sizeof(T); };
}
namespace other::deep { constexpr int k = op::n; enum class Kind { A = -4, B }; }
extern "C" { enum linked { c = 9 }; }
"""
VALUES = {
    "op::n": 200,
    "::n": 3,
    "Plain::one": 1,
    "op::Mode::Twice": 2,
    "::op::Mode::Thrice": 3,
    "Mode::Twice": 2,
    "Mode::Once": None,  # of two enumerations
    "inner::Mode::Once": 7,
    "::inner::half": None,
    "op::inner::half": 0.5,
    "inner::last": 201,
    "op::S::k": 201,
    "S::a": 402,
    "op::S::kind::b": 403,
    "T::E::x": 403,
    "op::S::unknown": None,
    "op::traits::size": None,
    "deep::Kind::B": -3,
    "linked::c": 9,
    "op::Mode::Four": None,
}


def test_values_of_constants_with_scopes() -> None:
    unit = read(Source("k.cpp", TEXT), (), "c++", {})
    known = {name: value for name, value in VALUES.items() if value is not None}
    assert scoped_constants(unit, VALUES) == known


def test_names_with_scopes() -> None:
    assert qualified_names("f(a = x::y, b: in double[ op :: n * 2], c = d ? ::e::g : h)") == ["x::y", "op::n", "::e::g"]


def call_of(arguments: str, formals: str) -> KernelCall:
    head = "#pragma tunepass param P: integer(0..1) = 0\nint p = P;\n"
    pragma = f"#pragma tunepass kernel op::f({arguments}, y: out double[8])\n"
    text = f"{head}{TEXT}\n{pragma}namespace op {{ void f({formals}, double *y) {{ y[0] = 1; }} }}\n"
    call = CFrontend().parse(Source("k.cpp", text)).kernels[0].body_as(CKernel).call
    assert call is not None
    return call


def test_pragmas_take_them_where_they_take_numbers() -> None:
    call = call_of("n = 2 * op::n, m = op::Mode::Twice, x: in double[op :: S::k]", "int n, Mode m, const double *x")
    n, m, x, _ = call.arguments
    assert isinstance(n, ScalarArgument) and isinstance(m, ScalarArgument) and isinstance(x, ArrayArgument)
    assert [number(value) for value in (n.value, m.value, x.length)] == [400, 2, 201]


def test_the_compiler_works_out_the_others() -> None:
    arguments = call_of("n = traits<double>::size, m = Mode::Once", "int n, Mode m").arguments[:2]
    assert [a.text for a in arguments if isinstance(a, NamedArgument)] == ["traits<double>::size", "Mode::Once"]


def test_a_name_that_is_no_constant_is_refused_at_its_place() -> None:
    with pytest.raises(SourceError, match="no constant `op::Mode::Four` with a value is known here") as error:
        call_of("n = 1 + op::Mode::Four, m = op::Mode::Twice", "int n, Mode m")
    span = error.value.diagnostics[0].span
    assert span is not None and span.text == "op::Mode::Four"
