/* Breadth-first search, the first of two kernels: each node of the frontier visits its neighbours. SELECT 0 writes what
 * it finds whether it is new or not, 1 under a condition. The workload is NODES, EDGES and LEVELS. */
#pragma tunepass param unroll: ordinal(1, 4, 6, 8, 10, 12, 16) = 1
#pragma tunepass param compute_units1: ordinal(1, 2, 4, 6) = 1
#pragma tunepass hls work_items(NODES) launches(LEVELS)

#if SELECT
#define VISIT(to) if (!visited[to]) { depth[to] = found; next[to] = 1; }
#else
#define VISIT(to) depth[to] = visited[to] ? depth[to] : found; next[to] = !visited[to]
#endif

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_compute_units(compute_units1)))
__kernel void visit(__global const int *restrict first, __global const int *restrict degree,
                    __global const int *restrict edges, __global flag *restrict frontier, __global flag *restrict next,
                    __global const flag *restrict visited, __global int *restrict depth)
{
    const unsigned node = get_global_id(0);
    if (node < NODES && frontier[node] != 0) {
        frontier[node] = 0;
        const int start = first[node];
        const int stop = start + degree[node];
        const int found = depth[node] + 1;
        #pragma tunepass hls trip((EDGES / NODES) // unroll / LEVELS)
        for (int i = start; i < stop; i += unroll) {
            #pragma unroll
            for (int u = 0; u < unroll; u++)
                { VISIT(edges[i + u]); }
        }
        #pragma tunepass hls trip((EDGES / NODES) % unroll / LEVELS)
        for (int i = stop - (stop - start) % unroll; i < stop; i++)
            { VISIT(edges[i]); }
    }
}
