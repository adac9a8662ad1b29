"""Whole files: what a kernel's pragmas say, as the body says it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontends.gpu.sources import SCALE, SCALE_CL, body, kernel, parse, short
from tunepass.diagnostics import SourceError
from tunepass.expr.nodes import INTEGER, REAL
from tunepass.expr.printer import to_text
from tunepass.frontends.gpu.lowering import lower
from tunepass.ir.gpu import ElementLayout, GpuBuffer, GpuScalar, NumberOf, Sizes
from tunepass.space.configuration import Configuration


def test_a_whole_cuda_file() -> None:
    parsed = parse(SCALE)
    (read,) = parsed.kernels
    assert read.name == "scale" and read.language == "cuda" and not parsed.warnings
    assert [(p.name, p.default) for p in read.parameters] == [("BX", 64), ("PER", 1)]
    assert [b.role for b in read.bindings] == ["macro", "macro"]
    assert [c.text for c in read.constraints] == ["BX * PER <= n"]


def test_the_arguments_of_a_kernel() -> None:
    n, a, x, y = body(SCALE).arguments
    assert isinstance(n, GpuScalar) and (n.element, to_text(n.value)) == ("int", "1024")
    assert isinstance(a, GpuScalar) and (a.element, a.value.type) == ("float", REAL)
    assert isinstance(x, GpuBuffer) and (x.element, x.direction, x.memory) == ("float", "in", "global")
    assert isinstance(y, GpuBuffer) and y.direction == "out" and to_text(y.length) == "n"


def test_the_launch_of_a_kernel() -> None:
    launch = body(SCALE).launch
    assert [to_text(e) for e in launch.grid] == ["ceildiv(n, BX * PER)", "1", "1"]
    assert [to_text(e) for e in launch.block] == ["BX", "1", "1"]
    assert launch.dynamic_shared is None and body(SCALE).span is not None
    assert to_text(body(SCALE).at(launch.grid[0])) == "ceildiv(1024, BX * PER)"


def test_a_whole_opencl_file() -> None:
    read = body(SCALE_CL, "scale.cl")
    assert read.dialect == "opencl" and kernel(SCALE_CL, "scale.cl").language == "opencl"
    tile = read.arguments[-1]
    assert isinstance(tile, GpuBuffer) and (tile.memory, tile.direction) == ("local", "out")
    assert to_text(tile.length) == "BX"


def test_what_a_source_expects_of_its_resources() -> None:
    clauses = (
        "grid(n // BX) block(BX) dynamic(4 * BX) shared(8 * BX) registers(32) accumulators(2) tolerance(1e-5, 1e-6)"
    )
    read = body(short(clauses))
    numbers = (read.launch.dynamic_shared, read.shared, read.registers, read.accumulators)
    assert [to_text(e) for e in numbers if e is not None] == ["4 * BX", "8 * BX", "32", "2"]
    assert (read.relative_tolerance, read.absolute_tolerance) == (1e-5, 1e-6)


def test_a_parameter_of_the_launch_alone_is_used() -> None:
    launched = """\
#pragma tunepass param BX: ordinal(32, 64) = 32
#pragma tunepass kernel f(x: out float[64]) grid(64 // BX) block(BX)
#ifndef BX
#define BX 32
#endif
__global__ void f(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
"""
    assert [p.name for p in parse(launched).kernels[0].parameters] == ["BX"]


def test_further_sizes() -> None:
    assert body(short("grid(n // BX) block(BX) sizes(n = 256, 4096)")).sizes == (Sizes("n", (256, 4096)),)


def test_a_reference() -> None:
    plain = "__global__ void plain(int n, float *y) { y[0] = n; }\n"
    clauses = "grid(n // BX) block(BX) dynamic(4)"
    text = short(f"{clauses} reference(plain, grid(n), block(1))") + plain
    reference = body(text).reference
    assert reference is not None and reference.function == "plain"
    assert to_text(reference.launch.grid[0]) == "n" and to_text(reference.launch.block[0]) == "1"
    same = body(short(f"{clauses} reference(plain)") + plain)
    assert same.reference is not None and same.reference.launch == same.launch


def test_work_of_whole_numbers_alone() -> None:
    work = body(short() + "#pragma tunepass work integer(8 * BX) barriers(2)\n" + "void g();\n").work
    assert work is not None and to_text(work.flops) == "0" and to_text(work.integer) == "8 * BX"


REFERENCES = {
    "by place": ("(int m, __global const Real *in, __global float *out, float a)", ("n", "x", "y", "a")),
    "by name": ("(float a, __global float *y, __global const float *x)", ("a", "y", "x")),
}


@pytest.mark.parametrize("signature, passed", REFERENCES.values(), ids=REFERENCES)
def test_a_reference_takes_all_arguments_by_their_places_or_some_by_their_names(
    signature: str, passed: tuple[str, ...]
) -> None:
    text = f"""
#pragma tunepass param BX: ordinal(32, 64) = 32
#pragma tunepass kernel f(n = 64, x: in float[n], y: out float[n], a = 2.0) grid(n // BX) block(BX) reference(g)
#if BX == 32
typedef float Real;
#else
typedef float2 Real;
#endif
__kernel void f(int n, __global const Real *x, __global float *y, float a) {{ y[get_global_id(0)] = BX; }}
__kernel void g{signature} {{ }}
"""
    reference = body(text, "file.cl").reference
    assert reference is not None and reference.passed == passed


WORK = "#pragma tunepass work flops(2.5 * n) double integer(n) special(1) barriers(2) independent(BX)\n"


@pytest.mark.parametrize("place", ["before", "between", "inside"])
def test_work_stands_before_the_kernel_or_in_it(place: str) -> None:
    text = short(lines=WORK) if place == "before" else short()
    if place == "between":
        text = text.replace("__global__", WORK + "__global__")
    if place == "inside":
        text = text.replace("{", "{\n" + WORK)
    other = short().replace("BX", "BY").replace(" f(", " g(")
    first, second = (k.body_as(type(body(short()))) for k in parse(text + other).kernels)
    assert first.work is not None and second.work is None
    numbers = (first.work.flops, first.work.integer, first.work.special, first.work.barriers, first.work.independent)
    assert [to_text(e) for e in numbers if e is not None] == ["2.5 * n", "n", "1", "2", "BX"]
    assert first.work.double


def test_all_pragmas_on_top() -> None:
    first, second = short().split("__global__")[0], short().split("__global__")[0]
    second = second.replace("BX", "BY").replace(" f(", " g(")
    functions = "".join(f"__global__ void {name}(int n, float *y) {{ y[B{name}] = BX + BY; }}\n" for name in "fg")
    kernels = parse(first + second + functions).kernels
    assert [[p.name for p in k.parameters] for k in kernels] == [["BX"], ["BY"]]


def test_accesses() -> None:
    lines = (
        "#pragma tunepass access y: store(2) stride(1, n) vector(2) distinct(BX) total(n)\n"
        "#pragma tunepass access tile: load(n) stride(0)\n"
        "#pragma tunepass access weights: load(n)\n"
        "#pragma tunepass access x: load(1)\n"
        "#pragma tunepass access tex: load(1) bytes(16) in texture\n"
    )
    function = (
        "__constant__ double weights[64];\n"
        "__global__ void f(int n, const float4 *__restrict__ x, float *y) { __shared__ short tile[BX]; y[BX] = n; }\n"
    )
    read = body(short(arguments="n = 1024, x: in float4[n], y: out float[n]", lines=lines, function=function))
    assert [(a.array, a.place, a.written, a.element_byte) for a in read.accesses] == [
        ("y", "global", True, 4),
        ("tile", "shared", False, 2),
        ("weights", "constant", False, 8),
        ("x", "readonly", False, 16),
        ("tex", "texture", False, 16),
    ]
    y, tile = read.accesses[:2]
    assert y.row_stride is not None and y.distinct is not None and y.total is not None
    assert [to_text(e) for e in (y.stride, y.row_stride, y.vector, y.distinct, y.total)] == ["1", "n", "2", "BX", "n"]
    assert tile.row_stride is None and tile.distinct is None


def test_arrays_of_the_file_are_symbols() -> None:
    function = "__constant__ float w[BX];\n__global__ void f(int n, float *y) { y[BX] = w[n]; }\n"
    w, _, y = body(short(arguments="w: in float[BX], n = 64, y: out float[n]", function=function)).arguments
    assert isinstance(w, GpuBuffer) and w.symbol and w.memory == "constant"
    assert isinstance(y, GpuBuffer) and not y.symbol


def test_scalars_may_depend_on_parameters_and_on_scalars_before() -> None:
    arguments = "n = 1024, m = n // BX, half = m // 2, y: out float[half]"
    function = "__global__ void f(int n, int m, unsigned half, float *y) { y[BX] = n; }\n"
    read = body(short("grid(m) block(BX)", arguments=arguments, function=function))
    assert to_text(read.at(read.launch.grid[0])) == "1024 // BX"
    half = read.arguments[2]
    assert isinstance(half, GpuScalar) and half.element == "unsigned int" and half.value.type == INTEGER
    assert to_text(read.scalars()["half"]) == "1024 // BX // 2"


def test_a_length_may_name_a_scalar_that_is_passed_after_the_array() -> None:
    text = """#pragma tunepass param BX: pow2(32, 64) = 32
#pragma tunepass kernel fill(y: out float[2 * n], n = 1024) grid(n // BX) block(BX)
__global__ void fill(float *y, int n) { y[blockIdx.x * BX + threadIdx.x] = n; }
"""
    y, n = body(text).arguments
    assert isinstance(y, GpuBuffer) and isinstance(n, GpuScalar) and to_text(body(text).at(y.length)) == "2048"


def test_macros_of_the_file_that_are_numbers_may_be_named() -> None:
    macros = "#define SIDE (4u * 16)\n#define COUNT (SIDE * SIDE)\n"
    text = macros + short("grid(COUNT // BX) block(BX)", arguments="n = COUNT, y: out float[SIDE]")
    assert to_text(body(text).launch.grid[0]) == "4096 // BX"
    assert kernel(macros + short(lines="#pragma tunepass constraint BX <= SIDE\n")).constraints[0].text == "BX <= SIDE"


def test_an_extent_that_may_be_zero_is_a_constraint() -> None:
    constraints = kernel(short(arguments="n = 64, y: out float[n]")).constraints
    assert [c.text for c in constraints] == ["n // BX >= 1"]
    assert to_text(constraints[0].expression) == "64 // BX >= 1"
    assert not kernel(short("grid(ceildiv(n, BX)) block(BX)", arguments="n = 64, y: out float[n]")).constraints


ALIGNED = {  # bytes of an element, where gcc and nvcc say so
    "struct __align__(16) P { float x, y, z; };": 16,
    "struct alignas(8) P { float x, y, z; };": 16,
    "struct P { float x, y, z; } __attribute__((aligned(32)));": 32,
    "typedef struct __attribute__((aligned(SIDE))) { float x; } P;": 64,
    "struct __align__(8) Q { int k; }; struct P { char c; Q q; };": 16,
    "struct P { struct __align__(8) Q { int k; } q; char c; };": 16,
    "struct __align__(2) P { double x; };": 8,
}


@pytest.mark.parametrize(("struct", "byte"), ALIGNED.items())
def test_structs_that_state_their_alignment(struct: str, byte: int) -> None:
    function = f"#define SIDE 64\n{struct}\n__global__ void f(int n, P *y) {{ y[BX] = P{{}}; }}\n"
    (_, y) = body(short(arguments="n = 64, y: out P[n]", function=function)).arguments
    assert isinstance(y, GpuBuffer) and y.layout is not None and y.layout.byte == byte


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_a_compiler_aligns_them_so(tmp_path: Path) -> None:
    lines = ["#define SIDE 64", "#define __align__(n) __attribute__((aligned(n)))"]
    for number, (struct, byte) in enumerate(ALIGNED.items()):
        lines += [f'namespace n{number} {{ {struct} static_assert(sizeof(P) == {byte}, ""); }}']
    (tmp_path / "f.cpp").write_text("\n".join(lines) + "\n")
    subprocess.run(["g++", "-fsyntax-only", "f.cpp"], cwd=tmp_path, check=True, timeout=60)


@pytest.mark.parametrize(
    "struct",
    [
        "struct __attribute__((packed)) P { char c; double x; };",
        "struct P { char c; alignas(8) int x; };",
        "struct __align__(4 * BX) P { int x; };",
        "struct __align__(3) P { int x; };",
    ],
)
def test_alignments_that_are_not_known(struct: str) -> None:
    function = f"{struct}\n__global__ void f(int n, P *y) {{ y[BX] = P{{}}; }}\n"
    with pytest.raises(SourceError, match="alignment is not a known power of two"):
        body(short(arguments="n = 64, y: out P[n]", function=function))


def test_elements_that_are_structs_have_a_layout() -> None:
    function = (
        "struct particle { float3 at; char kind; double mass; short pair[2]; };\n"
        "__global__ void f(int n, particle *y) { y[BX].mass = n; }\n"
    )
    (_, y) = body(short(arguments="n = 64, y: out particle[n]", function=function)).arguments
    assert isinstance(y, GpuBuffer)
    number = [("float", 0), ("float", 4), ("float", 8), ("char", 12), ("double", 16), ("short", 24), ("short", 26)]
    assert y.layout == ElementLayout(32, tuple(NumberOf(kind, offset) for kind, offset in number))


@pytest.mark.parametrize(
    "signature",
    [
        "template <int N> __global__ void f(int n, float *y)",
        "template <typename T, int N = 4> __global__ __launch_bounds__(256, 2) void f(int n, T *y)",
    ],
)
def test_templates_are_named_with_their_arguments(signature: str) -> None:
    arguments = "<BX>" if "int N>" in signature else "<float, BX>"
    text = short(function=f"{signature} {{ y[n] = N; }}\n").replace("kernel f(", f"kernel f{arguments}(")
    assert body(text).function == f"f{arguments}" and not parse(text).warnings
    candidate = lower(kernel(text), Configuration({"BX": 32}))
    assert candidate.text is not None and candidate.text.endswith(f"= &f{arguments};\n")


@pytest.mark.parametrize(
    "head",
    [
        "__global__ __launch_bounds__(BX) void f(int n, float* __restrict__ const y)",
        'extern "C" __global__ void __launch_bounds__(BX, 2) f(const unsigned int n, float y[])',
        "static __global__ void f(const size_t n, REAL * __restrict y)",
        "KERNEL f(ARGS)",
    ],
)
def test_signatures_that_people_write(head: str) -> None:
    macros = "#define REAL float\n#define KERNEL __global__ void\n#define ARGS int n, REAL *y\n"
    read = body(macros + short(function=f"{head} {{ y[BX] = n; }}\n"))
    assert [a.name for a in read.arguments] == ["n", "y"]


@pytest.mark.parametrize(
    "head",
    [
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(uint n, __global float *restrict y)",
        "kernel void f(const ulong n, global float* const restrict y)",
        "__attribute__((reqd_work_group_size(BX, 1, 1)))\n__kernel\nvoid f(private int n, __global volatile float y[])",
    ],
)
def test_signatures_of_opencl(head: str) -> None:
    read = body(short(function=f"{head} {{ y[BX] = n; }}\n"), "f.cl")
    assert [a.name for a in read.arguments] == ["n", "y"]


def test_flags_are_words_of_the_compiler() -> None:
    line = '#pragma tunepass param MATH: categorical("", "-use_fast_math -maxrregcount=64") flag\n'
    candidate = lower(kernel(short(lines=line)), Configuration({"BX": 32, "MATH": "-use_fast_math -maxrregcount=64"}))
    assert candidate.flags == ("-use_fast_math", "-maxrregcount=64") and candidate.defines == ("-DBX=32",)
    assert candidate.text is None


def test_a_body_under_two_signatures() -> None:
    function = (
        "#ifdef IMAGE\n__global__ void f(int n, cudaTextureObject_t y) {\n"
        "#else\n__global__ void f(int n, float *y) {\n#endif\n    y[BX] = n;\n}\n"
    )
    assert len(body(short(function=function)).arguments) == 2
    assert len(body("#define OTHER\n" + short(function=function.replace("ifdef IMAGE", "ifndef OTHER"))).arguments) == 2


def test_variants_of_a_function_that_a_parameter_chooses() -> None:
    variants = "".join(
        f"#if BX == {n}\n__global__ void f(int n, float *y) {{ y[{n}] = n; }}\n#endif\n" for n in (32, 64)
    )
    assert len(body(short(function=variants)).arguments) == 2


def test_headers_beside_the_source(tmp_path: Path) -> None:
    (tmp_path / "real.h").write_text("#define REAL float\n#define SIDE 64\nstruct pair { REAL at[SIDE / 32]; };\n")
    function = '#include "real.h"\n__global__ void f(int n, REAL *y, pair *z) { y[BX] = n; }\n'
    text = short(arguments="n = SIDE, y: out float[n], z: in pair[n]", function=function.replace("SIDE / 32", "2"))
    (tmp_path / "real.h").write_text("#define REAL float\n#define SIDE 64\nstruct pair { float at[SIDE]; };\n")
    (_, _, z) = body(text, str(tmp_path / "f.cu")).arguments
    assert isinstance(z, GpuBuffer) and z.layout is not None and z.layout.byte == 256


@pytest.mark.parametrize(
    "before",
    [
        "inline __device__ float4 operator+(float4 a, float4 b) { a.x += b.x; return a; }\n",
        "struct S { float x; __device__ S(float y); };\n__device__ S::S(float y) : x(y) { x = y; }\n",
        "typedef Block<float, 8> Reduce;\n",
        "template <typename T> struct Shared { __device__ operator T *() { return 0; } };\n",
    ],
)
def test_what_may_stand_before_a_kernel(before: str) -> None:
    assert [a.name for a in body(before + short()).arguments] == ["n", "y"]
