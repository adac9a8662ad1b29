/* C += A A^T: both operands are rows, so that only the reduction has unit stride. */
#pragma tunepass param ORDER: permutation(i, j, k)
#pragma tunepass param TI: ordinal(1, pow2(8, 64)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(8, 64)) = 1 log
#pragma tunepass param TK: ordinal(1, pow2(16, 256)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4) = 1 log
#pragma tunepass param UJ: ordinal(1, 2, 4) = 1 log
#pragma tunepass param UK: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass constraint UI * UJ * UK <= 32
#pragma tunepass kernel syrk(n = 240, m = 200, A: in double[n*m], C: inout double[n*n]) tolerance(1e-9)
void syrk(int n, int m, const double *restrict A, double *restrict C)
{
#pragma tunepass loop(i, j, k) tile(i: TI, j: TJ, k: TK) order(ORDER) unroll_and_jam(i: UI, j: UJ, k: UK)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                C[i * n + j] += A[i * m + k] * A[j * m + k];
}
