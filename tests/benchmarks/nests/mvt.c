/* x += A y and z += A^T y: the two nests want the matrix in different orders, and share nothing else. */
#pragma tunepass param ORDER1: permutation(i, j)
#pragma tunepass param ORDER2: permutation(i, j)
#pragma tunepass param TI: ordinal(1, pow2(16, 512)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(16, 512)) = 1 log
#pragma tunepass param U1: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param U2: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass kernel mvt(n = 1400, A: in double[n*n], y: in double[n], x: inout double[n], z: inout double[n]) \
    tolerance(1e-9)
void mvt(int n, const double *restrict A, const double *restrict y, double *restrict x, double *restrict z)
{
#pragma tunepass loop(i, j) order(ORDER1) tile(i: TI, j: TJ) unroll_and_jam(i: U1)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += A[i * n + j] * y[j];
#pragma tunepass loop(i, j) order(ORDER2) tile(i: TI, j: TJ) unroll_and_jam(j: U2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            z[i] += A[j * n + i] * y[j];
}
