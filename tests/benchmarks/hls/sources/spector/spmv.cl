/* y += A x of a 512 x 512 matrix in compressed rows of NONZEROS elements in all: a work-item a row, `unroll` *
 * `manual_simd_size` elements of it at once, what is left of a row one by one: half of that in the mean. */
#pragma tunepass param block_dim: pow2(1, 512) = 1
#pragma tunepass param compute_units: integer(1..4) = 1
#pragma tunepass param unroll: pow2(1, 32) = 1
#pragma tunepass param manual_simd_size: pow2(1, 16) = 1
#pragma tunepass hls work_items(512)

#define LANES (unroll * manual_simd_size)

__attribute__((reqd_work_group_size(block_dim, 1, 1)))
__attribute__((num_compute_units(compute_units)))
__kernel void spmv(__global const unsigned *restrict starts, __global const unsigned *restrict columns,
                   __global const float *restrict values, __constant float *restrict x, __global float *restrict y)
{
    const int row = get_global_id(0);
    const unsigned start = starts[row];
    const unsigned stop = starts[row + 1];
    float sum = y[row];
    #pragma tunepass hls trip((NONZEROS / 512 - min(NONZEROS / 512, (unroll * manual_simd_size - 1) / 2)) / (unroll * manual_simd_size))
    for (unsigned e = start; e < stop; e += LANES) {
        #pragma unroll
        for (int l = 0; l < LANES; l++)
            sum += values[e + l] * x[columns[e + l]];
    }
    #pragma tunepass hls trip(min(NONZEROS / 512, (unroll * manual_simd_size - 1) / 2))
    for (unsigned e = stop - stop % LANES; e < stop; e++)
        sum += values[e] * x[columns[e]];
    y[row] = sum;
}
