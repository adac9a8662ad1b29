/* Points in a polygon (KTT, KernelTunerPnpoly): the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. The polygon has 600 corners. Comparisons are
 * integer operations to the hardware; a corner's division and loop take twenty instructions more. */

#pragma tunepass param BLOCK_SIZE_X: integer(32..992 step 32) = 256
#pragma tunepass param TILE_SIZE: ordinal(1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20) = 1
#pragma tunepass param BETWEEN_METHOD: integer(0..3) = 0
#pragma tunepass param USE_METHOD: integer(0..2) = 0

enum { SETTING = BLOCK_SIZE_X + TILE_SIZE + BETWEEN_METHOD + USE_METHOD };
__constant__ float2 vertices[600];

#pragma tunepass work flops(600 * 2 * (10 + TILE_SIZE * (2 + if(BETWEEN_METHOD >= 2, 2, 0)))) \
    integer(600 * (20 + TILE_SIZE * (3 + if(BETWEEN_METHOD == 1, 4, 0) + if(USE_METHOD == 1, 3, 1)))) \
    special(600) independent(TILE_SIZE)
#pragma tunepass access points: load(TILE_SIZE) stride(1) distinct(BLOCK_SIZE_X * TILE_SIZE) total(20000000)
#pragma tunepass access vertices: load(600 * 4) stride(0) in constant
#pragma tunepass access bitmap: store(TILE_SIZE) stride(1) distinct(BLOCK_SIZE_X * TILE_SIZE) total(20000000)

#pragma tunepass kernel pnpoly(bitmap: out int[20000000], points: in float2[20000000], vertices: in float2[600], n = 20000000) \
    grid(ceildiv(20000000, BLOCK_SIZE_X * TILE_SIZE)) block(BLOCK_SIZE_X) shared(0) accumulators(2 * TILE_SIZE + if(USE_METHOD == 1, TILE_SIZE, 0))
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
