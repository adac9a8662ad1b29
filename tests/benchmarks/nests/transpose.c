/* B = A^T of a power of two: rows of one operand meet in the same cache sets. */
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass param TI: ordinal(1, pow2(2, 256)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(2, 256)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param UJ: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass kernel transpose(n = 1024, A: in double[n*n], B: out double[n*n]) tolerance(0)
void transpose(int n, const double *restrict A, double *restrict B)
{
#pragma tunepass loop(i, j) tile(i: TI, j: TJ) order(ORDER) unroll_and_jam(i: UI, j: UJ)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[j * n + i] = A[i * n + j];
}
