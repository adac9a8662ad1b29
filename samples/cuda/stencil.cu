/* A step of heat flow: each inner point of an n x n x n grid moves towards its six neighbours. The border keeps its values.
 *
 * A block of BX x BY threads walks along z through PLANES planes, a thread with TX points side by side. The points below and
 * above are kept in registers from plane to plane; those beside them are read through the caches, or with STAGE "SHARED" from a
 * plane in shared memory.
 *
 *     tunepass build samples/cuda/stencil.cu -o out --device a100 --max-evals 200
 */

#pragma tunepass param BX: pow2(16, 128) = 32 log
#pragma tunepass param BY: pow2(1, 32) = 8 log
#pragma tunepass param TX: pow2(1, 4) = 1 log
#pragma tunepass param PLANES: pow2(1, 64) = 1 log
#pragma tunepass param STAGE: categorical("CACHE", "SHARED") = "CACHE"
#pragma tunepass param UNROLL: ordinal(1, 2, 4) = 1

#pragma tunepass constraint BX * BY >= 32
#pragma tunepass constraint UNROLL <= PLANES

#pragma tunepass work flops(8 * TX * PLANES) independent(TX) barriers(if(STAGE == "SHARED", 2 * PLANES, 0)) \
    integer((10 * TX + 4) * PLANES // UNROLL)
#pragma tunepass access from: load(TX * (PLANES + 2 + if(STAGE == "SHARED", PLANES * 2 / BY, 4 * PLANES))) stride(1, n) \
    distinct((BX * TX + 2) * (BY + 2) * (PLANES + 2)) total(n * n * n) in readonly
#pragma tunepass access plane: store(if(STAGE == "SHARED", TX * PLANES * (1 + 2 / BY), 0)) stride(1, BX * TX + 2) in shared
#pragma tunepass access plane: load(if(STAGE == "SHARED", 4 * TX * PLANES, 0)) stride(1, BX * TX + 2) in shared
#pragma tunepass access to: store(TX * PLANES) stride(1, n) distinct(BX * BY * TX * PLANES) total(n * n * n)

#pragma tunepass kernel stencil(n = 256, from: in float[n*n*n], to: inout float[n*n*n]) \
    grid(ceildiv(n, BX * TX), ceildiv(n, BY), ceildiv(n, PLANES)) block(BX, BY) \
    shared(if(STAGE == "SHARED", 4 * (BX * TX + 2) * (BY + 2), 0)) accumulators(3 * TX) tolerance(1e-5) sizes(n = 64, 256, 512)

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#ifndef TX
#define TX 1
#endif
#ifndef PLANES
#define PLANES 1
#endif
#ifndef STAGE
#define STAGE CACHE
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

#define CACHE 0
#define SHARED 1

#define FLOW 0.1f

static constexpr int unroll = UNROLL;

/* The point's own value; zero beyond the grid. */
static __device__ __forceinline__ float at(int n, const float *__restrict__ from, int x, int y, int z)
{
    return x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n ? __ldg(&from[((size_t)z * n + y) * n + x]) : 0;
}

extern "C" __global__ void __launch_bounds__(BX *BY) stencil(int n, const float *__restrict__ from, float *__restrict__ to)
{
    const int x0 = blockIdx.x * BX * TX, y0 = blockIdx.y * BY, z0 = blockIdx.z * PLANES;
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    float below[TX], here[TX], above[TX];
#pragma unroll
    for (int t = 0; t < TX; t++) {
        below[t] = at(n, from, x + t * BX, y, z0 - 1);
        here[t] = at(n, from, x + t * BX, y, z0);
    }
#pragma unroll unroll
    for (int z = z0; z < z0 + PLANES; z++) {
#pragma unroll
        for (int t = 0; t < TX; t++)
            above[t] = at(n, from, x + t * BX, y, z + 1);
#if STAGE == SHARED
        __shared__ float plane[BY + 2][BX * TX + 2];
        const int row = threadIdx.y + 1, column = threadIdx.x + 1;
        __syncthreads();
#pragma unroll
        for (int t = 0; t < TX; t++) {
            plane[row][column + t * BX] = here[t];
            if (row == 1)
                plane[0][column + t * BX] = at(n, from, x + t * BX, y - 1, z);
            if (row == BY)
                plane[BY + 1][column + t * BX] = at(n, from, x + t * BX, y + 1, z);
        }
        if (column == 1)
            plane[row][0] = at(n, from, x0 - 1, y, z);
        if (column == BX)
            plane[row][BX * TX + 1] = at(n, from, x0 + BX * TX, y, z);
        __syncthreads();
#endif
#pragma unroll
        for (int t = 0; t < TX; t++) {
            const int i = x + t * BX;
#if STAGE == SHARED
            const float beside = plane[row][column + t * BX - 1] + plane[row][column + t * BX + 1]
                                 + plane[row - 1][column + t * BX] + plane[row + 1][column + t * BX];
#else
            const float beside = at(n, from, i - 1, y, z) + at(n, from, i + 1, y, z) + at(n, from, i, y - 1, z)
                                 + at(n, from, i, y + 1, z);
#endif
            if (i > 0 && i < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1)
                to[((size_t)z * n + y) * n + i] = here[t] + FLOW * (beside + below[t] + above[t] - 6 * here[t]);
            below[t] = here[t];
            here[t] = above[t];
        }
    }
}
