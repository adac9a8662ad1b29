/* Dense matrix product C = A * B, row-major, float, tiled for local memory and for registers.
 *
 * A group of BX x BY items computes BY*TM rows and BX*TN columns of C, each item TM x TN sums. Per step, TK columns of A and
 * TK rows of B are staged in local memory, VEC elements a load. The defaults are the textbook kernel: 16 x 16 items, one sum each.
 *
 *     tunepass build samples/opencl/matmul.cl -o out --device opencl --max-evals 60
 *     tunepass build samples/opencl/matmul.cl -o out --device mi250x --max-evals 60        (estimated, nothing runs)
 */

#pragma tunepass param BX: pow2(4, 32) = 16 log
#pragma tunepass param BY: pow2(2, 32) = 16 log
#pragma tunepass param TM: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param TN: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param TK: pow2(8, 32) = 16 log
#pragma tunepass param VEC: pow2(1, 4) = 1 log
#pragma tunepass param UNROLL: pow2(1, 32) = 1 log

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
#pragma tunepass access a: store(ceildiv(n, TK) * TM * TK // BX) stride(VEC * BY * TM, BX * VEC // TK) in shared
#pragma tunepass access b: store(ceildiv(n, TK) * TN * TK // BY) stride(VEC, BX * VEC) vector(VEC) bytes(4) in shared
#pragma tunepass access a: load(n * TM) stride(0, TM) vector(min(TM, 4)) in shared
#pragma tunepass access b: load(n * TN) stride(1, 0) bytes(4) in shared
#pragma tunepass access C: store(TM * TN) stride(1, n * TM) distinct(BX * BY * TM * TN) total(n * n)

#pragma tunepass kernel matmul(n = 512, A: in float[n*n], B: in float[n*n], C: out float[n*n]) \
    grid(ceildiv(n, BX * TN), ceildiv(n, BY * TM)) block(BX, BY) \
    shared(4 * TK * (BY * TM + BX * TN)) accumulators(TM * TN + TM + TN) \
    tolerance(1e-4) reference(matmul_plain, grid(ceildiv(n, 16), ceildiv(n, 16)), block(16, 16)) \
    sizes(n = 128, 512, 2048)

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
#ifndef UNROLL
#define UNROLL 1
#endif

#define ITEMS (BX * BY)
#define ROWS (BY * TM)
#define COLUMNS (BX * TN)

#if VEC == 4
typedef float4 Vector;
#elif VEC == 2
typedef float2 Vector;
#else
typedef float Vector;
#endif

/* VEC elements of a row; zeros beyond the matrix. n is a multiple of VEC. */
Vector load(int n, __global const float *restrict matrix, int row, int column)
{
    if (row < n && column < n)
        return *(__global const Vector *)(matrix + (size_t)row * n + column);
    return (Vector)(0);
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void
matmul(int n, __global const float *restrict A, __global const float *restrict B, __global float *restrict C)
{
    __local float a[TK][ROWS]; /* transposed: an item's rows follow one another */
    __local Vector b[TK][COLUMNS / VEC];
    const int x = get_local_id(0), y = get_local_id(1), item = y * BX + x;
    const int row0 = get_group_id(1) * ROWS, column0 = get_group_id(0) * COLUMNS;
    float sum[TM][TN];
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            sum[i][j] = 0;

    for (int k0 = 0; k0 < n; k0 += TK) {
        for (int at = item * VEC; at < ROWS * TK; at += ITEMS * VEC) {
            const Vector loaded = load(n, A, row0 + at / TK, k0 + at % TK);
            for (int v = 0; v < VEC; v++)
                a[at % TK + v][at / TK] = ((const float *)&loaded)[v];
        }
        for (int at = item * VEC; at < COLUMNS * TK; at += ITEMS * VEC)
            b[at / COLUMNS][at % COLUMNS / VEC] = load(n, B, k0 + at / COLUMNS, column0 + at % COLUMNS);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll UNROLL
        for (int k = 0; k < TK; k++) {
            __local const float *columns = (__local const float *)b[k];
            float left[TM], right[TN];
            for (int i = 0; i < TM; i++)
                left[i] = a[k][y * TM + i];
            for (int j = 0; j < TN; j++)
                right[j] = columns[x + j * BX];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += left[i] * right[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            const int row = row0 + y * TM + i, column = column0 + x + j * BX;
            if (row < n && column < n)
                C[(size_t)row * n + column] = sum[i][j];
        }
}

/* One element an item, nothing staged: what results are compared with. */
__kernel void matmul_plain(int n, __global const float *A, __global const float *B, __global float *C)
{
    const int row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += A[(size_t)row * n + k] * B[(size_t)k * n + column];
    C[(size_t)row * n + column] = sum;
}
