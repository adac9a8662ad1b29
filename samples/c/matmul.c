/* Dense matrix product C += A * B, row-major, blocked for the cache and for the registers.
 *
 * The three tile sizes cut the loops into blocks; within a block, MR x NR elements of C are summed side by side, in
 * registers if they fit. The defaults are the textbook blocking: 32-cubes of plain dot products.
 *
 *     tunepass build samples/c/matmul.c -o out --budget 60s -- gcc -O2
 */

#pragma tunepass param TI: ordinal(pow2(8, 256)) = 32 log
#pragma tunepass param TJ: ordinal(pow2(8, 256)) = 32 log
#pragma tunepass param TK: ordinal(pow2(8, 256)) = 32 log
#pragma tunepass param MR: ordinal(1, 2, 4, 6, 8) = 1
#pragma tunepass param NR: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param OUTER: categorical("ROWS", "COLUMNS") = "ROWS"

#pragma tunepass constraint MR <= TI and NR <= TJ
#pragma tunepass constraint MR * NR <= 32
#pragma tunepass constraint 8 * (TI * TK + TK * TJ + TI * TJ) <= 2**20

#ifndef TI
#define TI 32
#endif
#ifndef TJ
#define TJ 32
#endif
#ifndef TK
#define TK 32
#endif
#ifndef MR
#define MR 1
#endif
#ifndef NR
#define NR 1
#endif
#ifndef OUTER
#define OUTER ROWS
#endif

#define ROWS 0
#define COLUMNS 1
#define UNROLLED _Pragma("GCC unroll 16")

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* What the register blocks leave over at a block's right and lower edge. */
static void edge(int n, int i0, int i1, int j0, int j1, int k0, int k1, const double *restrict A,
                 const double *restrict B, double *restrict C)
{
    for (int i = i0; i < i1; i++)
        for (int j = j0; j < j1; j++) {
            double sum = 0;
            for (int k = k0; k < k1; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] += sum;
        }
}

/* C[i0.., j0..] += A[i0.., k0..] * B[k0.., j0..] for one block. */
static void block(int n, int i0, int j0, int k0, const double *restrict A, const double *restrict B,
                  double *restrict C)
{
    const int i1 = min(i0 + TI, n), j1 = min(j0 + TJ, n), k1 = min(k0 + TK, n);
    int i = i0;
    for (; i + MR <= i1; i += MR) {
        int j = j0;
        for (; j + NR <= j1; j += NR) {
            double sum[MR][NR] = {{0}};
            for (int k = k0; k < k1; k++)
                UNROLLED for (int r = 0; r < MR; r++)
                    UNROLLED for (int c = 0; c < NR; c++)
                        sum[r][c] += A[(i + r) * n + k] * B[k * n + j + c];
            UNROLLED for (int r = 0; r < MR; r++)
                UNROLLED for (int c = 0; c < NR; c++)
                    C[(i + r) * n + j + c] += sum[r][c];
        }
        edge(n, i, i + MR, j, j1, k0, k1, A, B, C);
    }
    edge(n, i, i1, j0, j1, k0, k1, A, B, C);
}

#pragma tunepass kernel matmul(n = 256, A: in double[n*n], B: in double[n*n], C: inout double[n*n]) \
    tolerance(1e-9)
void matmul(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
#if OUTER == ROWS
    for (int i = 0; i < n; i += TI)
        for (int k = 0; k < n; k += TK)
            for (int j = 0; j < n; j += TJ)
                block(n, i, j, k, A, B, C);
#else
    for (int j = 0; j < n; j += TJ)
        for (int k = 0; k < n; k += TK)
            for (int i = 0; i < n; i += TI)
                block(n, i, j, k, A, B, C);
#endif
}
