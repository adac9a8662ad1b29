/* C = A B of two 1024 x 1024 matrices. A work-item computes `sub_dim_x` (or `sub_dim_y`) by `manual_simd_y` (or
 * `manual_simd_x`) elements of C from blocks of A and B in local memory. UNROLL_K: the loop over the block is unrolled by
 * `unroll_factor`, else the loop over the item's elements, which then is the inner one. */
#pragma tunepass param block: pow2(2, 32) = 2
#pragma tunepass param sub_dim_x: pow2(1, 8) = 1
#pragma tunepass param sub_dim_y: pow2(1, 8) = 1
#pragma tunepass param manual_simd_x: pow2(1, 8) = 1
#pragma tunepass param manual_simd_y: pow2(1, 8) = 1
#pragma tunepass param simd: pow2(1, 8) = 1
#pragma tunepass param compute_units: pow2(1, 4) = 1
#pragma tunepass param unroll_factor: pow2(2, 32) = 2
#pragma tunepass hls work_items(1024 * 1024 / (sub_dim_x * sub_dim_y * manual_simd_x * manual_simd_y))

#define M 1024
#if WIDE_X
#define SUB sub_dim_y
#define WIDE manual_simd_x
#else
#define SUB sub_dim_x
#define WIDE manual_simd_y
#endif

__attribute__((reqd_work_group_size(block, block, 1)))
__attribute__((num_simd_work_items(simd)))
__attribute__((num_compute_units(compute_units)))
__kernel void mm(__global float *restrict C, __global const float *restrict A, __global const float *restrict B)
{
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int group_x = get_group_id(0);
    const int group_y = get_group_id(1);
    float sum[SUB][WIDE];
#if WIDE_X
    __local float tile_a[block * sub_dim_y][block];
    __local float tile_b[block][block][manual_simd_x];
#else
    __local float tile_a[block][block][manual_simd_y];
    __local float tile_b[block * sub_dim_x][block];
#endif
    #pragma unroll
    for (int p = 0; p < SUB; p++) {
        #pragma unroll
        for (int v = 0; v < WIDE; v++)
            sum[p][v] = 0.0f;
    }
    for (int step = 0; step < M / block; step++) {
#if WIDE_X
        #pragma unroll unroll_factor
        for (int p = 0; p < sub_dim_y; p++)
            tile_a[p * block + y][x] = A[(group_y * block * sub_dim_y + p * block + y) * M + step * block + x];
        #pragma unroll
        for (int v = 0; v < manual_simd_x; v++)
            tile_b[x][y][v] = B[(step * block + y) * M + group_x * block * manual_simd_x + manual_simd_x * x + v];
#else
        #pragma unroll
        for (int v = 0; v < manual_simd_y; v++)
            tile_a[y][x][v] = A[(group_y * block * manual_simd_y + manual_simd_y * y + v) * M + step * block + x];
        #pragma unroll unroll_factor
        for (int p = 0; p < sub_dim_x; p++)
            tile_b[p * block + x][y] = B[(step * block + y) * M + group_x * block * sub_dim_x + p * block + x];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if UNROLL_K
        for (int p = 0; p < SUB; p++) {
            #pragma unroll unroll_factor
            for (int k = 0; k < block; k++) {
#else
        for (int k = 0; k < block; k++) {
            #pragma unroll unroll_factor
            for (int p = 0; p < SUB; p++) {
#endif
                #pragma unroll
                for (int v = 0; v < WIDE; v++) {
#if WIDE_X
                    sum[p][v] += tile_a[y * sub_dim_y + p][k] * tile_b[x][k][v];
#else
                    sum[p][v] += tile_a[y][k][v] * tile_b[x * sub_dim_x + p][k];
#endif
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int p = 0; p < SUB; p++) {
        #pragma unroll
        for (int v = 0; v < WIDE; v++) {
#if WIDE_X
            C[((group_y * block + y) * sub_dim_y + p) * M + (group_x * block + x) * manual_simd_x + v] = sum[p][v];
#else
            C[((group_y * block + y) * manual_simd_y + v) * M + (group_x * block + x) * sub_dim_x + p] = sum[p][v];
#endif
        }
    }
}
