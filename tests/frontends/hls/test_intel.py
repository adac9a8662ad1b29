"""OpenCL for Intel's FPGAs: attributes, work-items, channels."""

from tests.frontends.hls.sources import body, loop, names, operations, warnings
from tunepass.expr.printer import to_text
from tunepass.ir.hls import HlsKernel

MATMUL = """\
#pragma tunepass param BLOCK: pow2(4, 32) = 16
#pragma tunepass param SIMD: pow2(1, 8) = 1
#pragma tunepass param CU: integer(1..4) = 1
#pragma tunepass hls matmul(n = 256, a: in float[n][n]) global(n, n) launches(2) clock(250)
#define BLOCK 16
#define SIMD 1
#define CU 1
__attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
__attribute__((num_simd_work_items(SIMD), num_compute_units(CU)))
__kernel void matmul(__global const float *restrict a, __global float *restrict c, int n)
{
  __local float tile[BLOCK][BLOCK];
  int x = get_local_id(0), y = get_local_id(1);
  float sum = 0.0f;
  for (int step = 0; step < n / BLOCK; step++) {
    tile[y][x] = a[get_global_id(1) * n + step * BLOCK + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 4
    for (int k = 0; k < BLOCK; k++)
      sum += tile[y][k] * tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
"""


def read(text: str) -> HlsKernel:
    return body(text, "kernel.cl")


def test_attributes_say_how_work_items_run() -> None:
    kernel = read(MATMUL)
    assert kernel.range is not None and kernel.range.width is not None
    assert to_text(kernel.range.work_items) == "65536"
    assert (to_text(kernel.range.group), to_text(kernel.range.width)) == ("BLOCK * BLOCK", "BLOCK")
    assert (to_text(kernel.range.simd), to_text(kernel.range.compute_units)) == ("SIMD", "CU")
    assert to_text(kernel.launches) == "2" and kernel.clock_hz is not None and to_text(kernel.clock_hz) == "250000000"


def test_numbers_of_work_items_move_addresses() -> None:
    kernel = read(MATMUL)
    store = next(o for o in operations(kernel) if o.array == "c")
    terms = {name: to_text(e) for name, e in store.subscripts[0].terms}
    assert terms == {"get_global_id(0)": "1", "get_global_id(1)": "256"}
    tile = kernel.array("tile")
    assert tile.storage == "local" and [to_text(d) for d in tile.dims] == ["BLOCK", "BLOCK"]


def test_loops_have_their_pragmas_and_their_bounds() -> None:
    kernel = read(MATMUL)
    assert to_text(loop(kernel, "step").trip) == "256 // BLOCK"
    assert to_text(loop(kernel, "k").unroll) == "4"


def test_a_kernel_without_work_items_is_a_task() -> None:
    text = """
#pragma tunepass param U: pow2(1, 8) = 1
#pragma tunepass hls copy
#define U 1
channel float pipe __attribute__((depth(8)));
__kernel void copy(__global const float *restrict in, __global float *restrict out) {
  #pragma unroll U
  #pragma ivdep
  for (int i = 0; i < 64; i++) { write_channel_intel(pipe, in[i]); out[i] = read_channel_intel(pipe); }
}
"""
    kernel = read(text)
    assert kernel.range is not None and to_text(kernel.range.work_items) == "1"
    assert kernel.array("pipe").storage == "stream"
    assert (to_text(loop(kernel, "i").unroll), set(loop(kernel, "i").independent)) == ("U", {"in", "out"})
    assert [to_text(d) for d in kernel.array("in").dims] == ["64"]


def test_vectors_are_arrays_of_their_components() -> None:
    text = """
#pragma tunepass param U: pow2(1, 8) = 1
#pragma tunepass hls scale global(64) local(8)
#define U 1
__kernel void scale(__global float4 *v) { v[get_global_id(0)].x = v[get_global_id(0)].y * U; }
"""
    (array,) = read(text).arrays
    assert [to_text(d) for d in array.dims] == ["64", "4"]
    assert "flt_mul" in names(read(text))


def test_sizes_that_nothing_states_are_assumed() -> None:
    text = "#pragma tunepass param U: pow2(1, 8) = 1\n#pragma tunepass hls k\n#define U 1\n"
    text += "__kernel void k(__global int *a) { a[get_global_id(0)] = U; }\n"
    told = warnings(text, "k.cl")
    assert any("work-items is not known" in t for t in told) and any("work-group is not known" in t for t in told)
