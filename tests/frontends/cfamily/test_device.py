"""The preprocessor's command for CUDA and OpenCL: what nvcc says, or what is usual."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.preprocessing.command import Command
from tunepass.frontends.cfamily.preprocessing.device import device_command, names_in_toolkit
from tunepass.frontends.cfamily.reading import read

NVCC = """#!/bin/sh
case "$*" in *--dryrun*) echo '#$ _SPACE_= ' >&2
echo '#$ gcc -D__CUDA_ARCH__=900 -E -x c++  -D__CUDACC__ "-I{folder}" -D "W=a b" -D__CUDACC_VER_MAJOR__=13 \
-D__CUDACC_VER_MINOR__=1 -include "cuda_runtime.h" -m64 "/tmp/x_stdin" ' >&2;; esac
"""


@pytest.fixture
def nvcc(tmp_path: Path) -> str:
    """A program that answers as nvcc 13.1 does."""
    (tmp_path / "cuda_runtime.h").write_text("template <class Taken> struct holder;\n#define HIDDEN 1\n")
    program = tmp_path / "nvcc"
    program.write_text(NVCC.format(folder=tmp_path))
    program.chmod(0o755)
    return str(program)


def test_nvccs_own_words_are_taken_without_the_header_that_it_includes(nvcc: str, tmp_path: Path) -> None:
    command = device_command(Command.of((nvcc, "-arch=sm_90"), "k.cu", "cuda"), "cuda")
    assert command.program == "gcc"
    assert command.words == (
        *("-D__CUDA_ARCH__=900", "-D__CUDACC__", f"-isystem{tmp_path}", "-DW=a b", "-D__CUDACC_VER_MAJOR__=13"),
        *("-D__CUDACC_VER_MINOR__=1", "-m64", "-DCUDART_VERSION=13010", "-DCUDA_VERSION=13010"),
    )


def test_names_of_the_toolkits_headers(nvcc: str) -> None:
    names = names_in_toolkit((nvcc,))
    assert "Taken" in names and "HIDDEN" not in names


def test_without_nvcc_words_of_its_own_are_left_out(tmp_path: Path) -> None:
    given = (str(tmp_path / "nvcc"), "-arch=sm_80", "-Iinclude", "-DN=4", "-Xcompiler", "-Wall", "--use_fast_math")
    command = device_command(Command.of(given, "k.cu", "cuda"), "cuda")
    assert command.program == "c++" and command.words[-2:] == ("-Iinclude", "-DN=4")
    assert "-D__CUDACC__" in command.words and not any("fast" in w or "sm_80" in w for w in command.words)


def test_opencl_has_its_macros_and_none_of_its_builds_words() -> None:
    command = device_command(Command.of(("-cl-fast-relaxed-math", "-DN=4"), "k.cl", "opencl"), "opencl")
    assert "-D__OPENCL_VERSION__=120" in command.words and command.words[-1] == "-DN=4"
    assert not any(word.startswith("-cl") for word in command.words)


def test_kernels_behind_cudas_macros_are_active_and_keep_their_words() -> None:
    """CUDA's headers make attributes of the words."""
    text = """
    #define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
    #define __shared__ __attribute__((shared))
    #ifdef __CUDACC__
    __attribute__((global)) void __launch_bounds__(64) k(float *x) { __shared__ float s[4]; x[0] = s[0]; }
    #endif
    """
    (kernel,) = read(Source("k.cu", text), ("c++",), "cuda").functions
    assert "__global__" in kernel.words and [a.name.text for a in kernel.attributes] == ["global", "launch_bounds"]
    assert "__shared__" in kernel.body.statements[0].words  # type: ignore[union-attr]
