"""T1 files."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.interchange.foreign_kernel import annotated, used
from tunepass.interchange.signatures import agreed, formals
from tunepass.interchange.t1 import read_t1

KERNEL = """\
extern "C" __global__ void blur(float *out, const float * __restrict__ in, float4 *weights, int n)
{
    #pragma unroll tile
    for (int t = 0; t < tile; t++)
        out[blockIdx.x * blockDim.x + threadIdx.x] += in[t] * weights[t].x;
}
"""
BLUR: dict[str, Any] = {
    "ConfigurationSpace": {
        "TuningParameters": [
            {"Name": "block_size_x", "Type": "int", "Values": "[32 * i for i in range(1, 9)]", "Default": 64},
            {"Name": "tile", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": [2]},
            {"Name": "unused", "Type": "int", "Values": "[1]"},
            {"Name": "mode", "Type": "string", "Values": "['fast', 'exact']"},
        ],
        "Conditions": [
            {"Parameters": ["block_size_x", "tile"], "Expression": "block_size_x*tile <= 1024 and not tile == 1"},
            {"Parameters": ["unused"], "Expression": "unused > 0"},
        ],
    },
    "KernelSpecification": {
        "Language": "CUDA",
        "KernelName": "blur",
        "KernelFile": "blur.cu",
        "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
        "GridDivX": ["block_size_x", "tile"],
        "ProblemSize": [4096, 1],
        "Arguments": [
            {"Name": "o", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]"},
            {
                "Name": "i", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 4104,
                "FillType": "Generator", "DataSource": "i % 7 if i > 3 else 0.5",
            },
            {
                "Name": "w", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "4 * max(tile)",
                "FillType": "Random", "FillValue": 2.5,
            },
            {"Name": "count", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096},
        ],
    },
}  # fmt: skip


def text(change: Callable[[dict[str, Any]], object] = lambda _: None) -> Source:
    described = deepcopy(BLUR)
    change(described)
    return Source("blur.json", json.dumps(described, indent=1))


def test_the_space() -> None:
    kernel = read_t1(text())
    assert [p.name for p in kernel.parameters] == ["block_size_x", "tile", "unused", "mode"]
    assert kernel.parameters[0].default == 64 and kernel.parameters[1].default == 2
    assert kernel.constraints == ("block_size_x * tile <= 1024 and not tile == 1", "unused > 0")
    every = [(b, t) for b in range(32, 257, 32) for t in (2, 4, 8) if b * t <= 1024]
    assert kernel.space().size == 2 * len(every)


def test_the_annotated_source(golden: Callable[[str, str], None]) -> None:
    kernel = agreed(read_t1(text()), KERNEL)
    golden("interchange/blur.cu", annotated(used(kernel, KERNEL), KERNEL, "blur.json"))


def test_global_sizes_of_opencl_are_in_threads() -> None:
    def threads(described: dict[str, Any]) -> None:
        spec = described["KernelSpecification"]
        del spec["ProblemSize"], spec["GridDivX"]
        spec.update(Language="OpenCL", GlobalSize={"X": "4096 // tile", "Y": "8"})
        spec["Arguments"][0]["Size"] = 4096

    kernel = read_t1(text(threads))
    assert kernel.language == "opencl" and kernel.block == ("block_size_x",)
    assert kernel.grid == ("ceildiv(4096 // tile, block_size_x)", "8")


def test_kernel_tuner_divides_by_the_block_where_nothing_is_said() -> None:
    def local(described: dict[str, Any]) -> None:
        described["KernelSpecification"].update(GridDivX=None, GridDivY=None, LocalSize={"X": "threads"})

    kernel = read_t1(text(local))
    assert (kernel.grid, kernel.block) == (("ceildiv(4096, block_size_x)",), ("block_size_x",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("ConfigurationSpace"), "`ConfigurationSpace` is missing"),
        (lambda d: d["KernelSpecification"].pop("KernelName"), "`KernelName` is missing"),
        (lambda d: d["ConfigurationSpace"].update(TuningParameters=[]), "a space has at least one parameter"),
        (lambda d: d["ConfigurationSpace"].update(TuningParameters={}), "TuningParameters is a list"),
        (lambda d: parameter(d, Values="[]"), "the values of `block_size_x` are a list"),
        (lambda d: parameter(d, Values="[[1]]"), "a value of `block_size_x` is a number, a text or a truth value"),
        (lambda d: parameter(d, Values="__import__('os').getcwd()"), "no value can be read from the Python expression"),
        (lambda d: parameter(d, Values="[0] * 10**9"), "`[0] * 10 ** 9` needs numbers"),
        (lambda d: parameter(d, Values="range(10**12)"), "has more than"),
        (lambda d: parameter(d, Name="tile"), "there are two parameters `tile`"),
        (lambda d: parameter(d, Name="a b"), "a b"),
        (lambda d: parameter(d, Values="['a\\n#include <x>']"), "it has no line breaks and backslashes"),
        (lambda d: parameter(d, Values="['a\\\\']"), "it has no line breaks and backslashes"),
        (
            lambda d: d["KernelSpecification"].update(KernelName="f()\n#include <x>"),
            "this is a name of the kernel's source",
        ),
        (
            lambda d: d["KernelSpecification"]["Arguments"][0].update(Name="a;b"),
            "this is a name of the kernel's source",
        ),
        (lambda d: parameter(d, Name="x; system"), "x; system"),
        (lambda d: condition(d, "open('x')"), "no translation for the Python function `open`"),
        (lambda d: condition(d, "tiles > 1"), "tiles"),
        (lambda d: condition(d, "tile >"), "this is not a Python expression that can be read"),
        (lambda d: condition(d, "(" * 3000), "this is not a Python expression that can be read"),
        (lambda d: condition(d, "mode + 1 > 2"), "`+` needs a number, got a string"),
        (lambda d: d["KernelSpecification"]["Arguments"][0].update(Size=-4), "the Size of `o` is a positive whole"),
        (lambda d: d["KernelSpecification"]["Arguments"][0].update(Size="9" * 30), "the Size of `o`"),
    ],
)
def test_what_is_wrong_is_one_diagnostic_at_its_place(change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_t1(text(change))
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message and diagnostic.span is not None and diagnostic.span.source.name == "blur.json"


def parameter(described: dict[str, Any], **fields: str) -> None:
    described["ConfigurationSpace"]["TuningParameters"][0 if "Values" in fields else -1].update(fields)


def condition(described: dict[str, Any], expression: str) -> None:
    described["ConfigurationSpace"]["Conditions"][0]["Expression"] = expression


@pytest.mark.parametrize(
    "hostile",
    [
        "", "null", "[]", "1", "{", '{"a": 1,}', "[" * 100_000, '{"a": ' * 5000, "9" * 10_000, '{"a": &x 1}', "\0",
        '{"ConfigurationSpace": {"TuningParameters": [1]}}', '{"ConfigurationSpace": null}', '"\\ud800"', "NaN",
        '{"ConfigurationSpace": {"TuningParameters": [{"Name": {}, "Values": "[1]"}]}}', " " * (1 << 21),
        '{"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": [1e999]}]}}',
        '{"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": [NaN, NaN]}]}}',
    ],
)  # fmt: skip
def test_hostile_text(hostile: str) -> None:
    with pytest.raises(TunepassError):
        read_t1(Source("x.json", hostile)).space()


def test_a_note_stays_in_its_comment() -> None:
    kernel = replace(read_t1(text()), notes=("the source, x\n#include <y> \\\n, is not here\\",))
    assert annotated(kernel, "", "x").splitlines()[1:3] == [
        "// the source, x #include <y> \\ , is not here\\.",
        "#pragma tunepass param block_size_x: ordinal(32..256 step 32) = 64",
    ]


def test_a_kernel_with_other_parameters_keeps_no_kernel_line() -> None:
    kernel = agreed(read_t1(text()), "__global__ void blur(float *a) { }")
    assert not kernel.whole and kernel.notes[-1] == "blur has 1 parameters, its description 4 arguments"
    assert "no definition of blur in the source" in agreed(read_t1(text()), "void blur(int);").notes


def test_the_kernel_is_read_as_it_is_compiled() -> None:
    kernel = read_t1(text())
    source = """
#if tile == 8
#define real double
#else
#define real float
#endif
#ifdef NEVER
__global__ void blur(int) { }
#endif
#define FORMALS(n) int n, const real *in /* a comment, with a comma */
__global__ void __launch_bounds__(block_size_x) blur(float *out, FORMALS(n), unsigned mode_of) { out[0] = in[n]; }
"""
    found = formals(kernel, source)
    assert found is not None and [(f.name, f.element, f.constant) for f in found] == [
        ("out", "float", False),
        ("n", "int", False),
        ("in", "float", True),
        ("mode_of", "unsigned int", False),
    ]
    chosen = formals(kernel, source.replace(", FORMALS(n)", ", int n, const real *in"))
    assert chosen is not None and [f.name for f in chosen if f.varies] == ["in"]
    assert formals(kernel, "#error no\n") is None
