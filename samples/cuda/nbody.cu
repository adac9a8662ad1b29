/* The accelerations of n bodies under gravity, all pairs. A body is four numbers: its place and its mass.
 *
 * A thread has BODIES bodies. TILE of the others at a time are met, staged in shared memory or read through the caches, UNROLL
 * of them between two looks at the counter. The defaults are one body a thread and nothing unrolled.
 *
 *     tunepass build samples/cuda/nbody.cu -o out --device a100 --max-evals 200
 */

#pragma tunepass param BLOCK: pow2(32, 1024) = 128 log
#pragma tunepass param BODIES: ordinal(1, 2, 3, 4, 6, 8) = 1
#pragma tunepass param TILE: pow2(32, 2048) = 128 log
#pragma tunepass param UNROLL: pow2(1, 32) = 1 log
#pragma tunepass param STAGE: categorical("CACHE", "SHARED") = "SHARED"
#pragma tunepass param ROOT: categorical("EXACT", "FAST") = "EXACT"

#pragma tunepass constraint UNROLL <= TILE
#pragma tunepass constraint STAGE == "SHARED" or TILE == 128

#pragma tunepass work flops(19 * n * BODIES) special(if(ROOT == "FAST", 1, 2) * n * BODIES) independent(3 * BODIES) \
    integer(2 * n // UNROLL + if(STAGE == "SHARED", 6 * ceildiv(n, TILE) * ceildiv(TILE, BLOCK), 0)) \
    barriers(if(STAGE == "SHARED", 2 * ceildiv(n, TILE), 0))
#pragma tunepass access body: load(if(STAGE == "SHARED", 4 * ceildiv(n, TILE) * ceildiv(TILE, BLOCK), 4 * n)) \
    stride(if(STAGE == "SHARED", 4, 0)) vector(4) distinct(4 * n) total(4 * n) in readonly
#pragma tunepass access tile: store(if(STAGE == "SHARED", 4 * ceildiv(n, TILE) * ceildiv(TILE, BLOCK), 0)) stride(4) vector(4) in shared
#pragma tunepass access tile: load(if(STAGE == "SHARED", 4 * n, 0)) stride(0) vector(4) in shared
#pragma tunepass access force: store(4 * BODIES) stride(4) vector(4) distinct(4 * BLOCK * BODIES) total(4 * n)

#pragma tunepass kernel nbody(n = 16384, body: in float4[n] range(0, 1), force: out float4[n]) \
    grid(ceildiv(n, BLOCK * BODIES)) block(BLOCK) shared(if(STAGE == "SHARED", 16 * TILE, 0)) \
    accumulators(6 * BODIES) tolerance(1e-3) sizes(n = 1024, 16384, 131072)

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef BODIES
#define BODIES 1
#endif
#ifndef TILE
#define TILE 128
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef STAGE
#define STAGE SHARED
#endif
#ifndef ROOT
#define ROOT EXACT
#endif

#define CACHE 0
#define SHARED 1
#define EXACT 0
#define FAST 1

#define SOFTENING 1e-3f

static constexpr int unroll = UNROLL;

/* Add the pull of `other` on a body at `place`. */
static __device__ __forceinline__ void pull(const float4 place, const float4 other, float (&sum)[3])
{
    const float dx = other.x - place.x, dy = other.y - place.y, dz = other.z - place.z;
    const float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
#if ROOT == FAST
    const float root = rsqrtf(d2);
#else
    const float root = 1.0f / sqrtf(d2);
#endif
    const float pulled = other.w * root * root * root;
    sum[0] += pulled * dx;
    sum[1] += pulled * dy;
    sum[2] += pulled * dz;
}

extern "C" __global__ void __launch_bounds__(BLOCK) nbody(int n, const float4 *__restrict__ body, float4 *__restrict__ force)
{
    const int first = blockIdx.x * BLOCK * BODIES + threadIdx.x;
    float4 place[BODIES];
    float sum[BODIES][3] = {};
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        place[b] = first + b * BLOCK < n ? body[first + b * BLOCK] : make_float4(0, 0, 0, 0);
#if STAGE == SHARED
    __shared__ float4 tile[TILE];
    for (int start = 0; start < n; start += TILE) {
        for (int at = threadIdx.x; at < TILE; at += BLOCK)
            tile[at] = start + at < n ? body[start + at] : make_float4(0, 0, 0, 0); /* no mass, no pull */
        __syncthreads();
#pragma unroll unroll
        for (int j = 0; j < TILE; j++) {
            const float4 other = tile[j];
#pragma unroll
            for (int b = 0; b < BODIES; b++)
                pull(place[b], other, sum[b]);
        }
        __syncthreads();
    }
#else
#pragma unroll unroll
    for (int j = 0; j < n; j++) {
        const float4 other = __ldg(&body[j]);
#pragma unroll
        for (int b = 0; b < BODIES; b++)
            pull(place[b], other, sum[b]);
    }
#endif
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        if (first + b * BLOCK < n)
            force[first + b * BLOCK] = make_float4(sum[b][0], sum[b][1], sum[b][2], 0);
}
