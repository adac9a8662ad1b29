"""A tuned source is a source: read again it is the same kernel, with the choices as defaults."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import scaled
from tests.frontends.gpu.sources import SCALE, SCALE_CL, kernel, parse
from tunepass.backends.gpu.text import compiled_text
from tunepass.cli import main
from tunepass.diagnostics import Source
from tunepass.frontends.c.emission.defaults import literal_text
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.frontends.params.tokens import unquoted
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space

SAMPLES = Path(__file__).parents[3] / "samples"
PATHS = sorted([*(SAMPLES / "cuda").glob("*.cu"), *(SAMPLES / "opencl").glob("*.cl")])
KINDS = r"""
#pragma tunepass param P: permutation(i, j, k)
#pragma tunepass param Q: permutation(3) = (2, 0, 1)
#pragma tunepass param R: real(-0.5..2.5) /* between the values and the default */ = 1e-3
#pragma tunepass param S: categorical("a b", "c\"d", "e\\f", "2")
#pragma tunepass param YES: categorical(true, false)
#pragma tunepass param UNITS: \
    ordinal(1, \
            pow2(2, 8),) log
#pragma tunepass param O: categorical("-O2", "--use_fast_math -O3", "") flag prior(0.2, 0.3, 0.5)
#pragma tunepass param M: ordinal(16, 32) flag
#pragma tunepass constraint UNITS > 1 or YES
#pragma tunepass kernel f(n = 64, y: out float[n]) grid(n) block(UNITS)
#if !defined(UNITS)
#define UNITS 4 /* as before */
#endif
__global__ void f(int n, float *y) { y[P_i + Q_0] = R + YES + UNITS, S; }
"""
SEVERAL = """
#pragma tunepass param A: ordinal(1, 2, 4)
#pragma tunepass kernel f(n = 64, y: out float[n]) grid(n) block(A)
__global__ void f(int n, float *y) { y[A] = n; }
#pragma tunepass param B: ordinal(1, 2, 4)
#pragma tunepass kernel g(n = 64, y: out float[n]) grid(n) block(B)
__global__ void g(int n, float *y) { y[B] = n; }
"""
NAMESPACE = """
#pragma tunepass param BX: ordinal(32, 64, 128)
#pragma tunepass kernel f<Real, BX>(n = 1024, y: out float[n]) grid(ceildiv(n, BX)) block(BX) \\
    reference(plain<Real>, grid(n), block(1))
namespace outer::inner {
using Real = float;
namespace {
template <class T, int N> __global__ void f(int n, T *y)
{
    int i = blockIdx.x * N + threadIdx.x;
    if (i < n) y[i] = i;
}
}
template <class T> __global__ void plain(int n, T *y) { y[blockIdx.x] = blockIdx.x; }
}
"""
PLAIN_NAMESPACE = """
#pragma tunepass param B: ordinal(32, 64)
#pragma tunepass kernel f<B>(n = 1024, y: out float[n]) grid(ceildiv(n, B)) block(B)
namespace ns { template <int N> __global__ void f(int n, float *y) { if (threadIdx.x < n) y[threadIdx.x] = N; } }
"""
SOURCES = {
    **{path.name: path.read_text() for path in PATHS},
    "scale.cu": SCALE,
    "scale.cl": SCALE_CL,
    "kinds.cu": KINDS,
    "namespace.cu": NAMESPACE,
    "ns.cu": PLAIN_NAMESPACE,
}


def scheduled(read: Kernel, configuration: Configuration) -> Kernel:
    return read.scheduled(tuple(Choice(name, value) for name, value in configuration.items()))


def emitted(kernels: Sequence[Kernel], note: str = "why") -> Source:
    file = GpuFrontend().emit(kernels, note)[0]
    return Source(file.name, file.text)


def but_default(parameter: Parameter) -> list[object]:
    kept = [f.name for f in fields(parameter) if f.compare and f.name != "default"]
    return [parameter.kind, *(getattr(parameter, name) for name in kept)]


def assert_same(again: Kernel, read: Kernel, chosen: Configuration) -> None:
    assert {p.name: p.default for p in again.parameters} == dict(chosen)
    assert [but_default(p) for p in again.parameters] == [but_default(p) for p in read.parameters]
    written = [[c.written for c in k.constraints] for k in (again, read)]
    assert again.constraints == read.constraints and written[0] == written[1]
    plain = [[replace(b, span=None) for b in k.bindings] for k in (again, read)]
    assert plain[0] == plain[1] and (again.name, again.models) == (read.name, read.models)
    assert placeless(again.body_as(GpuKernel)) == placeless(read.body_as(GpuKernel))


def placeless(body: GpuKernel) -> GpuKernel:
    return replace(body, span=None, accesses=tuple(replace(access, span=None) for access in body.accesses))


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.slow_but(4)
def test_a_tuned_source_is_read_again(name: str) -> None:
    read = kernel(SOURCES[name], name)
    space = Space(read.parameters, read.constraints)
    drawn = [space.default, *space.sample(scaled(8), np.random.default_rng(5))]
    for configuration, other in pairwise(drawn):
        tuned = emitted((scheduled(read, configuration),))
        parsed = parse(tuned.text, tuned.name)
        assert not parsed.warnings
        (again,) = parsed.kernels
        assert_same(again, read, configuration)
        twice = emitted((scheduled(again, other),)).text
        once = emitted((scheduled(read, other),)).text
        assert twice == once.replace(f"/* {name}, tuned", f"/* {tuned.name}, tuned", 1)


def test_the_kernel_that_is_not_tuned_keeps_its_macros() -> None:
    first, _ = parse(SEVERAL, "several.cu").kernels
    once = emitted((first.scheduled((Choice("A", 4),)),))
    _, second = GpuFrontend().parse(once).kernels
    twice = emitted((second.scheduled((Choice("B", 2),)),))
    again = GpuFrontend().parse(twice).kernels
    assert [k.parameters[0].default for k in again] == [4, 2]
    both = emitted((again[0].scheduled((Choice("A", 2),)), again[1]))
    assert both.text.count("#define A ") == 1 and both.text.count("tuned by") == 1


@given(st.text(st.characters(exclude_categories=("Cs",))) | st.sampled_from(['"', "\\", "\\n", "a\nb\t"]))
def test_a_text_is_written_as_it_is_read(text: str) -> None:
    assert unquoted(literal_text(text)) == text


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("name", [n for n in SOURCES if n.endswith(".cu") and n not in ("kinds.cu", "scale.cu")])
@pytest.mark.slow_but(4)
def test_nvcc_compiles_it_as_it_is(name: str, tmp_path: Path) -> None:
    read = kernel(SOURCES[name], name)
    space = Space(read.parameters, read.constraints)
    last = space.sample(3, np.random.default_rng(7))[-1]
    tuned = emitted((scheduled(read, last),))
    again = kernel(tuned.text, tuned.name)
    (tmp_path / "tuned.cu").write_text(compiled_text(again, Space(again.parameters).default).text or "")
    words = ["nvcc", "-arch=sm_80", "-cubin", "-Werror", "all-warnings", "tuned.cu", "-o", "tuned.cubin"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if "<" in read.name:
        code = (tmp_path / "tuned.cubin").read_bytes()
        assert b"1f" in code and (b"plainIfE" in code) == (name == "namespace.cu")


@pytest.mark.parametrize("name", ["matmul.cu", "matmul.cl"])
def test_a_build_takes_it_up(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = kernel(SOURCES[name], name)
    chosen = Space(read.parameters, read.constraints).sample(9, np.random.default_rng(1))[-1]
    tuned = emitted((scheduled(read, chosen),))
    monkeypatch.chdir(tmp_path)
    Path(tuned.name).write_text(tuned.text)
    assert main(["space", tuned.name]) == 0
    assert main(["estimate", tuned.name, "--device", "a100", "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])
