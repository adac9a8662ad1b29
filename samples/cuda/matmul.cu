/* Dense matrix product C = A * B, row-major, float, tiled for shared memory and for registers.
 *
 * A block of BX x BY threads computes BY*TM rows and BX*TN columns of C, each thread TM x TN sums. Per step, TK columns of
 * A and TK rows of B are staged in shared memory, VEC elements a load; with PREFETCH the next step's loads are under way
 * while the current one is summed. The defaults are the textbook kernel: 16 x 16 threads, one sum each.
 *
 *     tunepass build samples/cuda/matmul.cu -o out --device a100 --max-evals 200
 */

#pragma tunepass param BX: pow2(8, 32) = 16 log
#pragma tunepass param BY: pow2(2, 32) = 16 log
#pragma tunepass param TM: ordinal(1, 2, 4, 6, 8) = 1
#pragma tunepass param TN: ordinal(1, 2, 4, 6, 8) = 1
#pragma tunepass param TK: pow2(8, 32) = 16 log
#pragma tunepass param VEC: pow2(1, 4) = 1 log
#pragma tunepass param PAD: ordinal(0, 1, 4) = 0
#pragma tunepass param UNROLL: pow2(1, 32) = 1 log
#pragma tunepass param PREFETCH: categorical(false, true) = false

#pragma tunepass constraint UNROLL <= TK
#pragma tunepass constraint n % VEC == 0
#pragma tunepass constraint TM * BY * TK % (BX * BY * VEC) == 0 and TN * BX * TK % (BX * BY * VEC) == 0
#pragma tunepass constraint TN * BX % VEC == 0

#pragma tunepass work flops(2 * n * TM * TN) barriers(2 * ceildiv(n, TK)) independent(TM * TN) \
    integer(n // UNROLL + ceildiv(n, TK) * 6 * (TM * TK // (BX * VEC) + TN * TK // (BY * VEC)))
#pragma tunepass access A: load(ceildiv(n, TK) * TM * TK // BX) stride(VEC, BX * VEC) vector(VEC) \
    distinct(BY * TM * n) total(n * n) in readonly
#pragma tunepass access B: load(ceildiv(n, TK) * TN * TK // BY) stride(VEC, BX * VEC) vector(VEC) \
    distinct(BX * TN * n) total(n * n) in readonly
#pragma tunepass access a: store(ceildiv(n, TK) * TM * TK // BX) stride(VEC * (BY * TM + PAD), BX * VEC // TK) in shared
#pragma tunepass access b: store(ceildiv(n, TK) * TN * TK // BY) stride(VEC, BX * VEC) vector(VEC) bytes(4) in shared
#pragma tunepass access a: load(n * TM) stride(0, TM) vector(if(PAD == 1, 1, gcd(TM, 4))) in shared
#pragma tunepass access b: load(n * TN) stride(1, 0) bytes(4) in shared
#pragma tunepass access C: store(TM * TN) stride(1, n * TM) distinct(BX * BY * TM * TN) total(n * n)

#pragma tunepass kernel matmul(n = 1024, A: in float[n*n], B: in float[n*n], C: out float[n*n]) \
    grid(ceildiv(n, BX * TN), ceildiv(n, BY * TM)) block(BX, BY) \
    shared(4 * TK * (BY * TM + PAD + BX * TN)) \
    accumulators(TM * TN + TM + TN + if(PREFETCH, TM * TK // BX + TN * TK // BY, 0)) \
    tolerance(1e-4) reference(matmul_plain, grid(ceildiv(n, 16), ceildiv(n, 16)), block(16, 16)) \
    sizes(n = 256, 1024, 4096)

#ifndef BX
#define BX 16
#endif
#ifndef BY
#define BY 16
#endif
#ifndef TM
#define TM 1
#endif
#ifndef TN
#define TN 1
#endif
#ifndef TK
#define TK 16
#endif
#ifndef VEC
#define VEC 1
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef PREFETCH
#define PREFETCH 0
#endif

#define THREADS (BX * BY)
#define ROWS (BY * TM)
#define COLUMNS (BX * TN)
#define A_LOADS (ROWS * TK / (THREADS * VEC)) /* of one thread, a step */
#define B_LOADS (COLUMNS * TK / (THREADS * VEC))

static constexpr int unroll = UNROLL; /* what #pragma unroll takes: nvcc does not expand macros there */

struct __align__(4 * VEC) Vector {
    float at[VEC];
};

/* VEC elements of a row; zeros beyond the matrix. n is a multiple of VEC. */
static __device__ __forceinline__ Vector load(int n, const float *__restrict__ matrix, int row, int column)
{
    if (row < n && column < n)
        return *reinterpret_cast<const Vector *>(matrix + (size_t)row * n + column);
    return Vector{};
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(int n, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float a[TK][ROWS + PAD]; /* transposed: a thread's rows follow one another */
    __shared__ Vector b[TK][COLUMNS / VEC];
    const int x = threadIdx.x, y = threadIdx.y, thread = y * BX + x;
    const int row0 = blockIdx.y * ROWS, column0 = blockIdx.x * COLUMNS;
    Vector nextA[A_LOADS], nextB[B_LOADS];
    float sum[TM][TN] = {};

    auto fetch = [&](int k0) {
#pragma unroll
        for (int s = 0; s < A_LOADS; s++) {
            const int at = (thread + s * THREADS) * VEC;
            nextA[s] = load(n, A, row0 + at / TK, k0 + at % TK);
        }
#pragma unroll
        for (int s = 0; s < B_LOADS; s++) {
            const int at = (thread + s * THREADS) * VEC;
            nextB[s] = load(n, B, k0 + at / COLUMNS, column0 + at % COLUMNS);
        }
    };

    fetch(0);
    for (int k0 = 0; k0 < n; k0 += TK) {
#pragma unroll
        for (int s = 0; s < A_LOADS; s++) {
            const int at = (thread + s * THREADS) * VEC;
#pragma unroll
            for (int v = 0; v < VEC; v++)
                a[at % TK + v][at / TK] = nextA[s].at[v];
        }
#pragma unroll
        for (int s = 0; s < B_LOADS; s++) {
            const int at = (thread + s * THREADS) * VEC;
            b[at / COLUMNS][at % COLUMNS / VEC] = nextB[s];
        }
        __syncthreads();
        if (PREFETCH)
            fetch(k0 + TK);
#pragma unroll unroll
        for (int k = 0; k < TK; k++) {
            const float *columns = &b[k][0].at[0];
            float left[TM], right[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                left[i] = a[k][y * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++)
                right[j] = columns[x + j * BX];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
        if (!PREFETCH)
            fetch(k0 + TK);
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            const int row = row0 + y * TM + i, column = column0 + x + j * BX;
            if (row < n && column < n)
                C[(size_t)row * n + column] = sum[i][j];
        }
}

/* One element a thread, nothing staged: what results are compared with. */
extern "C" __global__ void matmul_plain(int n, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += A[(size_t)row * n + k] * B[(size_t)k * n + column];
    C[(size_t)row * n + column] = sum;
}
