"""Scripts of Kernel Tuner are read without running them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp
from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.interchange.tuner_scripts import Array, Typed, tuner_calls
from tunepass.ir.gpu import GpuKernel
from tunepass.jobs.importing.descriptions import Given, Imported, imported

KERNEL = """__global__ void blur(float *out, const float *in, float *weights, int n) {
    int x = blockIdx.x * block_size_x * tile + threadIdx.x;
    for (int t = 0; t < tile; t++)
        out[x + t * block_size_x] = in[x + t * block_size_x] * weights[t];
}
"""
SCRIPT = """
import numpy
from numpy import float32
from kernel_tuner import tune_kernel
from collections import OrderedDict

def tune():
    with open('blur.cu', 'r') as f:
        kernel_string = f.read()
    problem_size = (4096, 16)
    size = numpy.prod(problem_size)
    tune_params = OrderedDict()
    tune_params["block_size_x"] = [32 * i for i in range(1, 9)]
    tune_params["tile"] = [1, 2, 4]
    tune_params["unused"] = [2**i for i in range(3)]
    widest = max(tune_params["tile"])
    out = numpy.zeros(size).astype(numpy.float32)
    image = numpy.random.randn(*problem_size).astype(float32)
    weights = numpy.ones_like(numpy.zeros(widest + 1, dtype=numpy.float32))
    args = [out, image, weights, numpy.int32(size)]
    restrict = ["block_size_x * tile <= 512", lambda p: p["tile"] < 4 or p["block_size_x"] > 32]
    grid_div_x = ["block_size_x", "tile"]
    raise SystemExit("this was run")
    return tune_kernel("blur", kernel_string, problem_size, args, tune_params, grid_div_x=grid_div_x,
                       restrictions=restrict, verbose=1)

if __name__ == "__main__":
    tune()
"""
WANTED = """#pragma tunepass param block_size_x: ordinal(32..256 step 32) = 32
#pragma tunepass param tile: ordinal(1, 2, 4) = 1
#pragma tunepass constraint block_size_x * tile <= 512
#pragma tunepass constraint tile < 4 or block_size_x > 32
#pragma tunepass kernel blur(out: inout float[65536], in: in float[65536], weights: in float[5], n = 65536) \\
    grid(ceildiv(4096, block_size_x * tile), 16) block(block_size_x, 1, 1)
"""


def read(folder: Path, script: str = SCRIPT, kernel: str | None = None) -> Imported:
    (folder / "blur.cu").write_text(KERNEL)
    (folder / "blur.py").write_text(script)
    return imported(folder / "blur.py", Given({}, kernel=kernel))


def test_a_script_becomes_a_source_with_pragmas(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert found.name == "blur.cu" and found.whole and found.kernel.language == "cuda"
    assert WANTED in found.text and found.text.endswith(KERNEL)
    assert found.notes == ("unused is 1 here: the kernel does not use it",)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "tuned.cu").write_text(read(tmp_path).text)
    body = tp.load(tmp_path / "tuned.cu").body_as(GpuKernel)
    assert [a.name for a in body.arguments] == ["out", "in", "weights", "n"]


def test_what_a_call_is_given() -> None:
    (call,) = tuner_calls(Source("blur.py", SCRIPT))
    assert call.function == "blur" and call.file == "blur.cu" and call.text is None
    assert call.arguments == (Array(65536, "float"), Array(65536, "float"), Array(5, "float"), Typed(65536, "int"))
    assert call.parameters["unused"] == (1, 2, 4)


@pytest.mark.parametrize("size", ["1e400", "float('nan')", "(1e400, 2)", pytest.param(str(10**400), id="huge")])
def test_an_array_of_no_finite_size_is_not_taken_over(size: str) -> None:
    script = f"import numpy\nout = numpy.zeros({size})\ntune_kernel('f', 'f.cu', 1, [out], {{'x': [1]}})"
    (call,) = tuner_calls(Source("f.py", script))
    assert call.arguments is None


def test_the_text_may_stand_in_the_script(tmp_path: Path) -> None:
    inside = SCRIPT.replace("kernel_string = f.read()", f"kernel_string = '''{KERNEL}'''")
    found = read(tmp_path, inside)
    assert found.whole and found.text.endswith(KERNEL)


@pytest.mark.parametrize(
    "old,new,grid,block",
    [
        (", grid_div_x=grid_div_x", "", "(ceildiv(4096, block_size_x), 16)", "(block_size_x, 1, 1)"),
        ("grid_div_x=grid_div_x", "grid_div_x=[]", "(4096, 16)", "(block_size_x, 1, 1)"),
        ('x", "tile"]', 'x/tile"]', "(ceildiv(4096, block_size_x // tile), 16)", "(block_size_x, 1, 1)"),
        ("problem_size, args", '"tile", args', "(ceildiv(tile, block_size_x * tile))", "(block_size_x, 1, 1)"),
        ("verbose=1", 'block_size_names=["tile"]', "(ceildiv(4096, block_size_x * tile), 16)", "(tile, 1, 1)"),
    ],
)  # fmt: skip
def test_the_launch_is_by_kernel_tuners_conventions(tmp_path: Path, old: str, new: str, grid: str, block: str) -> None:
    kernel = read(tmp_path, SCRIPT.replace(old, new)).kernel
    assert f"({', '.join(kernel.grid)})" == grid and f"({', '.join(kernel.block)})" == block


@pytest.mark.parametrize(
    "old,new,note",
    [
        ("numpy.zeros(size)", "read_image()", "the arguments are not taken over"),
        ("lambda p: p", "lambda p, q: p", "a restriction is not taken over: it is a function that is not understood"),
        ('"block_size_x * tile <= 512"', '"sum(tile) > 1"', "a restriction is not taken over: sum(tile) > 1"),
        ("(4096, 16)", "read_size()", "the launch is not taken over"),
        ("blur.cu", "other.cu", "the kernel's source, other.cu, is not here"),
    ],
)
def test_what_cannot_be_read_is_a_note(tmp_path: Path, old: str, new: str, note: str) -> None:
    assert any(note in told for told in read(tmp_path, SCRIPT.replace(old, new)).notes)


@pytest.mark.parametrize(
    "script,problem",
    [
        ("print(1)", "has no call of `tune_kernel`"),
        ("def f(:", "this is no Python"),
        ("tune_kernel('f', 'f.cu', 1)", "has no `arguments`"),
        ("tune_kernel('f', 'f.cu', 1, [], unknown())", "the tunable parameters of this call cannot be read"),
        ("tune_kernel('f', 'f.cu', 1, [], {'x': 3})", "the values of `x` are a list"),
        ("tune_kernel('f', 'f.cu', 1, [], {'x': [y]})", "the values of `x` cannot be read"),
        ("tune_kernel(f(), 'f.cu', 1, [], {'x': [1]})", "which function is tuned cannot be read"),
    ],
)
def test_what_is_no_such_script_is_told(tmp_path: Path, script: str, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        read(tmp_path, script)


def test_of_several_kernels_one_is_chosen(tmp_path: Path) -> None:
    several = SCRIPT + "\ntune_kernel('sharpen', 'blur.cu', 64, [], {'tile': [1, 2]})\n"
    with pytest.raises(TunepassError, match="several kernels: blur, sharpen"):
        read(tmp_path, several)
    assert read(tmp_path, several, kernel="sharpen").kernel.function == "sharpen"


def test_a_deeply_nested_function_is_a_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nested too deeply"):
        read(tmp_path, SCRIPT.replace('p["tile"] < 4', "-" * 400 + 'p["tile"] < 4'))
