/* The sum of n numbers. A thread adds up ITEMS loads of VEC numbers each, the threads of a block add up their sums, and each
 * block adds its own to the result: with ITEMS large, few blocks meet there; with ITEMS small, more of them hide the memory's
 * latency. TREE says how a block adds up: by shuffles within its warps, or in shared memory alone.
 *
 *     tunepass build samples/cuda/reduction.cu -o out --device a100 --max-evals 200
 */

#pragma tunepass param BLOCK: pow2(32, 1024) = 256 log
#pragma tunepass param ITEMS: pow2(1, 256) = 1 log
#pragma tunepass param VEC: pow2(1, 4) = 1 log
#pragma tunepass param LANES: pow2(1, 8) = 1 log
#pragma tunepass param TREE: categorical("SHARED", "SHUFFLE") = "SHARED"

#pragma tunepass constraint LANES <= ITEMS
#pragma tunepass constraint n % VEC == 0

#pragma tunepass work flops(ITEMS * VEC + LANES * VEC + if(TREE == "SHARED", log2(BLOCK), 10)) independent(LANES * VEC) \
    barriers(if(TREE == "SHARED", 1 + log2(BLOCK), 1)) integer(3 * ITEMS + 20)
#pragma tunepass access x: load(ITEMS * VEC) stride(VEC) vector(VEC) distinct(BLOCK * ITEMS * VEC) total(n) in readonly
#pragma tunepass access part: store(if(TREE == "SHARED", 2, 1 / 32)) in shared
#pragma tunepass access part: load(if(TREE == "SHARED", 2, 1 / 32)) in shared
#pragma tunepass access sum: store(1 / BLOCK) stride(0) distinct(1) total(1)

#pragma tunepass kernel reduction(n = 2**24, x: in float[n] range(0, 1), sum: inout float[1] fill(0)) \
    grid(ceildiv(n, BLOCK * ITEMS * VEC)) block(BLOCK) shared(4 * if(TREE == "SHARED", BLOCK, 32)) \
    accumulators(2 * LANES * VEC) tolerance(1e-3) sizes(n = 65536, 1048576, 16777216)

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef VEC
#define VEC 1
#endif
#ifndef LANES
#define LANES 1
#endif
#ifndef TREE
#define TREE SHARED
#endif

#define SHARED 0
#define SHUFFLE 1

struct __align__(4 * VEC) Vector {
    float at[VEC];
};

/* The sum over a block's threads, right in thread 0. */
static __device__ __forceinline__ float over_block(float own)
{
    const int thread = threadIdx.x;
#if TREE == SHUFFLE
    __shared__ float part[32];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (thread % 32 == 0)
        part[thread / 32] = own;
    __syncthreads();
    if (thread < 32) {
        own = thread < BLOCK / 32 ? part[thread] : 0;
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            own += __shfl_down_sync(0xffffffffu, own, distance);
    }
#else
    __shared__ float part[BLOCK];
    part[thread] = own;
    __syncthreads();
#pragma unroll
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        if (thread < distance)
            part[thread] += part[thread + distance];
        __syncthreads();
    }
    own = part[0];
#endif
    return own;
}

/* n is a multiple of VEC. */
extern "C" __global__ void __launch_bounds__(BLOCK) reduction(int n, const float *__restrict__ x, float *sum)
{
    const int loads = n / VEC, first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
    const Vector *vectors = reinterpret_cast<const Vector *>(x);
    float lanes[LANES][VEC] = {}; /* sums side by side, that no addition waits for the one before it */
    for (int item = 0; item < ITEMS; item += LANES) {
        Vector loaded[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            const int at = first + (item + lane) * BLOCK;
            loaded[lane] = at < loads ? vectors[at] : Vector{};
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
#pragma unroll
            for (int v = 0; v < VEC; v++)
                lanes[lane][v] += loaded[lane].at[v];
    }
    float own = 0;
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
#pragma unroll
        for (int v = 0; v < VEC; v++)
            own += lanes[lane][v];
    own = over_block(own);
    if (threadIdx.x == 0)
        atomicAdd(sum, own);
}
