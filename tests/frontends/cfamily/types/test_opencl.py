"""OpenCL C by clang, and what is said without one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.frontends.cfamily.types.asking import bodies_of, function, local_variables, parameters, signature, type_of
from tunepass.frontends.cfamily.types import command
from tunepass.frontends.cfamily.types.ask import Ask, TypeAnswer
from tunepass.frontends.cfamily.types.model import Vector, underlying
from tunepass.frontends.cfamily.types.reading import read_types

TEXT = """\
typedef struct { float4 a; int b[3]; } item;
__constant float weights[3] = {1, 2, 3};
__kernel void scale(__global float *a, __local float4 *l, const uint n, __constant item *c, image2d_t img, float3 v,
  __global half *h) { float s = 0; size_t i = get_global_id(0); float4 q = l[i]; a[i] = s + q.x; }
inline float twice(float x) { return x + x; }
"""


def read(words: list[str]) -> TypeAnswer:
    ask = Ask(
        (function(TEXT, "__kernel void scale", "scale"), function(TEXT, "inline float twice")), ("item", "weights")
    )
    return read_types(TEXT, Path("/"), "scale.cl", words, "opencl", ask, bodies_of(TEXT))


@pytest.mark.skipif(not shutil.which("clang"), reason="needs clang")
@pytest.mark.parametrize("standard", ["CL1.2", "CL2.0"])
def test_kernels_are_typed_by_clang_whatever_the_command_names(standard: str) -> None:
    told = read(["gcc", f"-cl-std={standard}"])
    assert parameters(signature(told)) == [
        "float *a",
        "float4 *l",
        "const uint n",
        "item *c",
        "__read_only image2d_t img",
        "float3 v",
        "half *h",
    ]
    assert local_variables(signature(told)) == ["float s", "size_t i", "float4 q"]
    assert parameters(signature(told, 1)) == ["float x"]
    assert type_of(told, "item").size == 32 and type_of(told, "weights").declare("w") == "float w[3]"
    v = underlying(signature(told).parameters[5].type)
    assert isinstance(v, Vector) and (v.lanes, v.size) == (3, 16)


def test_without_clang_opencl_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command.shutil, "which", lambda name: None)
    told = read(["gcc"])
    assert told.failure is not None and "declared text" in told.failure.message
