/* One sweep of a five-point stencil. */
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass param TI: ordinal(1, pow2(4, 512)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(16, 1024)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4) = 1 log
#pragma tunepass param UJ: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param SIMD: categorical(false, true) = false
#pragma tunepass constraint not SIMD or ORDER[1] == "j" and UJ == 1
#pragma tunepass kernel jacobi2d(n = 1300, A: in double[n*n], B: inout double[n*n]) tolerance(1e-12)
void jacobi2d(int n, const double *restrict A, double *restrict B)
{
#pragma tunepass loop(i, j) tile(i: TI, j: TJ) order(ORDER) unroll_and_jam(i: UI) unroll(j: UJ) vectorize(j: SIMD)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            B[i * n + j] = 0.2 * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i + 1) * n + j]
                                  + A[(i - 1) * n + j]);
}
