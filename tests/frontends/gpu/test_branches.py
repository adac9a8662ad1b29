"""What the preprocessor decides: which definitions, functions and types there are for which values of parameters."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.gpu.sources import body, parse, short
from tunepass.diagnostics import SourceError
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.expr.printer import to_text
from tunepass.frontends.gpu.lowering import lower
from tunepass.ir.gpu import GpuKernel
from tunepass.space.configuration import Configuration

KERNEL = "__global__ void f(float *y) { y[threadIdx.x] = BX; }\n"
CLAUSES = "grid(4) block(BX)"


def test_a_definition_in_a_branch_that_is_never_compiled_does_not_count() -> None:
    function = f"#define driver 1\n#ifndef driver\n#define BX 16\n#endif\n{KERNEL}"
    parsed = parse(short(CLAUSES, arguments="y: out float[128]", function=function))
    assert [p.default for p in parsed.kernels[0].parameters] == [64] and not parsed.warnings


@pytest.mark.parametrize(
    "function", [f"#define BX 16\n{KERNEL}", f"#define LIB\n#ifdef LIB\n#define BX 16\n#endif\n{KERNEL}"]
)
def test_one_that_is_compiled_without_a_guard_is_refused(function: str) -> None:
    with pytest.raises(SourceError, match="`BX` is defined here without `#ifndef`"):
        parse(short(CLAUSES, arguments="y: out float[128]", function=function))


def test_a_kernel_that_is_left_out_names_the_condition() -> None:
    function = f"#ifdef WITH_F\n{KERNEL}#endif\n"
    with pytest.raises(SourceError) as raised:
        parse(short(CLAUSES, arguments="y: out float[128]", function=function))
    assert "the compiler does not see `f`" in str(raised.value) and "#ifdef WITH_F" in str(raised.value)


def test_headers_that_are_not_here_are_told_once() -> None:
    function = f'#include "of_a_toolkit.h"\n{KERNEL}'
    parsed = parse(short(CLAUSES, arguments="y: out float[128]", function=function))
    (warning,) = parsed.warnings
    assert "`of_a_toolkit.h`" in warning.message and "taken as empty" in warning.message


def test_code_that_cannot_be_read_is_told_and_leaves_registers_out() -> None:
    function = "__global__ void f(float *y) { y[BX] = 1; } \n__global__ void g(float *y) { y[0] = 1 +* / 2; }\n"
    assert body(short(CLAUSES, arguments="y: out float[128]", function=function)).thread is not None
    broken = "__global__ void f(float *y) {\n    y[BX] = 1;\n    y[0] = 1 + / 2;\n}\n"
    parsed = parse(short(CLAUSES, arguments="y: out float[128]", function=broken))
    (warning,) = parsed.warnings
    assert warning.span is not None and "y[0]" in warning.span.source.line_text(warning.span.start)
    assert "registers of `f` are not estimated" in (warning.hint or "")


TYPES = """
#if BX == 128
typedef double Real;
#elif BX > 32
struct Real { float at[BX / 32]; };
#else
typedef float Real;
#endif
__global__ void f(float *y) { Real own[2]; y[threadIdx.x] = BX; }
"""


def test_types_that_parameters_choose_are_read_under_each_choice() -> None:
    thread = body(short(CLAUSES, arguments="y: out float[128]", function=TYPES)).thread
    assert thread is not None
    columns = {"BX": np.array([32, 64, 128])}
    assert evaluate_within(thread.body.arrays, columns, 3).values.tolist() == [2, 4, 4]


def test_functions_that_parameters_choose_are_read_under_each_choice() -> None:
    function = """
#if BX > 64
__device__ float at(const float *y, int i) { return y[i] + y[i + 1]; }
#else
__device__ float at(const float *y, int i) { float sum = 0; for (int k = 0; k < i; k++) sum += y[k]; return sum; }
#endif
__global__ void f(float *y) { y[threadIdx.x] = at(y, BX); }
"""
    thread = body(short(CLAUSES, arguments="y: out float[128]", function=function)).thread
    assert thread is not None and "BX > 64" in to_text(thread.body.global_loads)
    assert len(thread.body.inside) == 1 and "BX > 64" in to_text(thread.body.inside[0].global_loads)


def test_a_name_of_cudas_headers_is_refused_where_nvcc_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cuda_runtime.h").write_text("template <class T> struct holder;\n")
    program = tmp_path / "nvcc"
    told = f'#$ gcc -E -x c++ "-I{tmp_path}" -include "cuda_runtime.h" "stdin"'
    program.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    text = short("grid(4) block(32)", arguments="y: out float[128]", function=KERNEL).replace("BX", "T")
    with pytest.raises(SourceError, match="CUDA's own headers have a name `T`"):
        parse(text)


def test_more_sets_of_branches_than_the_limit_leave_registers_out_and_name_the_if() -> None:
    branches = "".join(f"#{'el' if n else ''}if BX == {n + 1}\ntypedef float{n % 3 + 2} word;\n" for n in range(20))
    function = f"{branches}#endif\n__global__ void f(float *y) {{ word w; y[threadIdx.x] = BX; }}\n"
    text = short(CLAUSES, arguments="y: out float[128]", function=function)
    parsed = parse(re.sub(r"param BX: .*", "param BX: integer(1..20) = 1", text))
    (warning,) = parsed.warnings
    assert warning.message == "the branches of `#if`s make 20 sets over the parameters, more than 16"
    assert warning.span is not None and warning.span.text == "#if BX == 1"
    assert warning.hint == "registers of `f` are not estimated from its code"
    assert parsed.kernels[0].body_as(GpuKernel).thread is None


def test_a_branch_whose_code_cannot_be_read_leaves_registers_out() -> None:
    function = "#if BX == 32\n__global__ void f(float *y) { y[BX] = 1 + / 2; }\n#else\n" + KERNEL + "#endif\n"
    parsed = parse(short(CLAUSES, arguments="y: out float[128]", function=function))
    assert parsed.kernels[0].body_as(GpuKernel).thread is None


def test_values_that_the_source_refuses_are_none() -> None:
    error = "#if BX > 64\n#error too many\n#endif\n"
    parsed = parse(short(CLAUSES, arguments="y: out float[128]", function=error + KERNEL).replace("= 64", "= 32"))
    (kernel,) = parsed.kernels
    assert "not BX > 64" in [constraint.text for constraint in kernel.constraints]


def test_a_branch_in_which_the_kernel_is_called_in_another_way_is_refused() -> None:
    more = "__global__ void f(float *y, int n) { y[threadIdx.x] = n; }\n"
    function = f"#if BX > 64\n{more}#else\n{KERNEL}#endif\n"
    with pytest.raises(SourceError) as raised:
        parse(short(CLAUSES, arguments="y: out float[128]", function=function))
    (found,) = raised.value.diagnostics
    assert found.message == "`f` is called in another way with BX = 128" and found.span is not None
    assert found.span.source.line_text(found.span.start) == more.strip()


def test_a_macro_of_which_only_ifdef_asks_is_defined_or_not() -> None:
    text = (
        "#pragma tunepass param FAST: categorical(false, true)\n#pragma tunepass param BX: ordinal(32, 64) = 64\n"
        "#pragma tunepass kernel f(y: out float[128]) grid(2) block(BX)\n"
        "#ifdef FAST\n__global__ void f(float *y) { y[threadIdx.x] = 1; }\n"
        "#else\n__global__ void f(float *y) { y[threadIdx.x] = 2; }\n#endif\n"
    )
    (kernel,) = parse(text).kernels
    chosen = Configuration({"FAST": False, "BX": 64})
    assert "-UFAST" in lower(kernel, chosen).flags
    assert "-DFAST=1" in lower(kernel, Configuration({"FAST": True, "BX": 64})).flags


def test_a_kernel_that_a_macro_names_is_told_by_its_name_after_macros() -> None:
    function = "#define NAME axpy_k\n__global__ void NAME(float *y) { y[threadIdx.x] = BX; }\n"
    text = short(CLAUSES, arguments="y: out float[128]", function=function).replace("kernel f(", "kernel NAME(")
    with pytest.raises(SourceError) as raised:
        parse(text)
    assert "`NAME` is a macro, and the function is `axpy_k`" in str(raised.value)
