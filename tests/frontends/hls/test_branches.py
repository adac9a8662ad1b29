"""`#if`s over parameters: what a function is for which values."""

from __future__ import annotations

import re

import pytest

from tests.frontends.hls.sources import loop
from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.expr import algebra
from tunepass.frontends.hls.emission import emit_files
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration

HEAD = "#pragma tunepass param U: {}\n#ifndef U\n#define U 1\n#endif\n#pragma tunepass hls top\n"


def read(code: str, values: str = "ordinal(1, 2, 4) = 1") -> Kernel:
    return HlsFrontend().parse(Source("top.cpp", HEAD.format(values) + code)).kernels[0]


def refusal(code: str, values: str = "ordinal(1, 2, 4) = 1") -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        read(code, values)
    return caught.value.diagnostics[0]


def trips(kernel: Kernel, name: str) -> dict[int, object]:
    """Iterations of the loop for each value of U."""
    variants = kernel.body_as(HlsKernel).variants
    return {dict(v.values)["U"]: algebra.number(loop(v.body, name).trip) for v in variants}


def test_macros_that_parameters_choose_are_read_under_each_choice() -> None:
    macro = "#if U > 2\n#define N 8\n#else\n#define N 16\n#endif\n"
    code = "void top(int a[64]) { for (int k = 0; k < N; k++) a[k] = U; }\n"
    assert trips(read(macro + code), "k") == {1: 16, 2: 16, 4: 8}


KNOB = """void top(int a[64]) {
#if U == 4
    for (int k = 0; k < 64; k++) {
#pragma HLS unroll factor=auto{F}
        a[k] = U;
    }
#else
    for (int k = 0; k < 16; k++) a[k] = U;
#endif
}
"""


def test_a_knob_may_stand_in_one_branch() -> None:
    kernel = read(KNOB)
    assert [p.name for p in kernel.parameters] == ["U", "F"] and trips(kernel, "k") == {1: 16, 2: 16, 4: 64}
    factor = kernel.parameters[1]
    assert factor.ends()[1] >= 32


def test_the_function_may_be_defined_in_each_branch() -> None:
    code = "".join(
        f"#{word}\nvoid top(int a[64]) {{ for (int k = 0; k < {n}; k++) a[k] = U; }}\n"
        for word, n in (("if U > 1", 8), ("else", 4))
    )
    assert trips(read(f"{code}#endif\n"), "k") == {1: 4, 2: 8, 4: 8}


def test_a_branch_without_the_function_is_refused_at_its_if() -> None:
    code = "#if U < 4\nvoid top(int a[64]) { a[0] = U; }\n#endif\n"
    found = refusal(code)
    assert found.message == "`top` is not there with U = 4" and found.span is not None and found.span.text == "#endif"


def test_too_many_sets_of_branches_are_refused_at_the_if() -> None:
    branches = "".join(f"#{'el' if n else ''}if U == {n + 1}\n#define N {n + 1}\n" for n in range(20))
    code = f"{branches}#endif\nvoid top(int a[64]) {{ for (int k = 0; k < N; k++) a[k] = U; }}\n"
    found = refusal(code, "integer(1..20) = 1")
    assert "make 20 sets" in found.message and found.span is not None and found.span.text == "#if U == 1"


def test_a_value_without_a_branch_is_refused() -> None:
    found = refusal(
        "#if 8 / U > 4\n#define N 8\n#else\n#define N 4\n#endif\nvoid top(int a[64]) { a[N] = U; }\n",
        "ordinal(0, 1, 2) = 1",
    )
    assert found.message == "a condition over parameters has no value with U = 0"
    assert found.span is not None and found.span.text == "#if 8 / U > 4"


def test_more_values_than_variants_are_refused_at_the_if() -> None:
    code = "#if U == 4999\n#define N 8\n#else\n#define N 4\n#endif\nvoid top(int a[64]) { a[N] = U; }\n"
    found = refusal(code, "integer(1..5000) = 1")
    assert "more than 64 combinations" in found.message and found.span is not None
    assert found.span.text == "#if U == 4999"


def test_values_that_the_source_refuses_are_none() -> None:
    code = "#if U > 2\n#error too many\n#endif\nvoid top(int a[64]) { for (int k = 0; k < N; k++) a[k] = U; }\n"
    kernel = read("#if U == 1\n#define N 4\n#else\n#define N 8\n#endif\n" + code)
    assert trips(kernel, "k") == {1: 4, 2: 8}
    assert [constraint.text for constraint in kernel.constraints] == ["not U > 2"]


PRESENT = """#pragma tunepass param FAST: categorical(false, true)
#pragma tunepass hls top
{}void top(int a[64]) {{
#ifdef FAST
    for (int k = 0; k < 8; k++) a[k] = 1;
#else
    for (int k = 0; k < 16; k++) a[k] = 1;
#endif
}}
"""


@pytest.mark.parametrize("defined", [False, True])
def test_a_macro_of_which_only_ifdef_asks_is_defined_or_not(defined: bool) -> None:
    source = Source("top.cpp", PRESENT.format("#define FAST\n" if defined else ""))
    (kernel,) = HlsFrontend().parse(source).kernels
    assert kernel.parameters[0].default is defined
    variants = kernel.body_as(HlsKernel).variants
    trip_of = {dict(v.values)["FAST"]: algebra.number(loop(v.body, "k").trip) for v in variants}
    assert trip_of == {False: 16, True: 8}
    for value in (False, True):
        (file,) = emit_files([scheduled(kernel, Configuration({"FAST": value}))])
        again = HlsFrontend().parse(Source("top.cpp", file.text)).kernels[0]
        assert again.parameters[0].default is value
        assert bool(re.search("^#define FAST", file.text, re.MULTILINE)) is value
