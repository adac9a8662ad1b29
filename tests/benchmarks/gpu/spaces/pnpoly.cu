/* Points in a polygon (Kernel Tuner, benchmark_hub's pnpoly.cu): the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. The polygon has 600 corners. Comparisons are
 * integer operations to the hardware; a corner's division and loop take twenty instructions more. */

#pragma tunepass param block_size_x: integer(32..992 step 32) = 256
#pragma tunepass param tile_size: ordinal(1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20) = 1
#pragma tunepass param between_method: integer(0..3) = 0
#pragma tunepass param use_method: integer(0..2) = 0

enum { SETTING = block_size_x + tile_size + between_method + use_method };
__constant__ float2 vertices[600];

#pragma tunepass work flops(600 * 2 * (10 + tile_size * (2 + if(between_method >= 2, 2, 0)))) \
    integer(600 * (20 + tile_size * (3 + if(between_method == 1, 4, 0) + if(use_method == 1, 3, 1)))) \
    special(600) independent(tile_size)
#pragma tunepass access points: load(tile_size) stride(1) distinct(block_size_x * tile_size) total(20000000)
#pragma tunepass access vertices: load(600 * 4) stride(0) in constant
#pragma tunepass access bitmap: store(tile_size) stride(1) distinct(block_size_x * tile_size) total(20000000)

#pragma tunepass kernel pnpoly(bitmap: out int[20000000], points: in float2[20000000], vertices: in float2[600], n = 20000000) \
    grid(ceildiv(20000000, block_size_x * tile_size)) block(block_size_x) shared(0) accumulators(2 * tile_size + if(use_method == 1, tile_size, 0))
__global__ void pnpoly(int *bitmap, const float2 *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int inside = 0;
    for (int j = 0, k = 599; j < 600; k = j++)
        if ((vertices[j].y > points[i].y) != (vertices[k].y > points[i].y))
            inside ^= points[i].x < (vertices[k].x - vertices[j].x) / (vertices[k].y - vertices[j].y) *
                                            (points[i].y - vertices[j].y) + vertices[j].x;
    bitmap[i] = inside;
}
