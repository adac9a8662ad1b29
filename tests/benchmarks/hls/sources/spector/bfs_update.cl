/* Breadth-first search, the second kernel: the nodes that were found become the frontier. */
#pragma tunepass param compute_units2: ordinal(1, 2, 4, 8, 10) = 1
#pragma tunepass param simd: ordinal(2, 4, 8) = 2
#pragma tunepass hls work_items(NODES) launches(LEVELS)

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(simd)))
__attribute__((num_compute_units(compute_units2)))
__kernel void update(__global flag *restrict frontier, __global flag *restrict next, __global flag *restrict visited,
                     __global int *restrict going)
{
    const unsigned node = get_global_id(0);
    if (node < NODES && next[node] == 1) {
        frontier[node] = 1;
        visited[node] = 1;
        *going = 1;
        next[node] = 0;
    }
}
