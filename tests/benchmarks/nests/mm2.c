/* The second product of 2mm: D = beta D + T C, with tile loops that are ordered by themselves. */
#pragma tunepass param ORDER: permutation(i_tile, k_tile, i, j, k) = (i_tile, k_tile, i, k, j)
#pragma tunepass param TI: ordinal(1, pow2(8, 128)) = 1 log
#pragma tunepass param TK: ordinal(1, pow2(8, 128)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4) = 1 log
#pragma tunepass param UK: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param OPT: categorical("-O2", "-O3") = "-O2" flag
#pragma tunepass kernel mm2(n = 256, m = 288, T: in double[n*n], C: in double[n*m], D: inout double[n*m]) tolerance(1e-9)
void mm2(int n, int m, const double *restrict T, const double *restrict C, double *restrict D)
{
    for (int i = 0; i < n * m; i++)
        D[i] *= 1.2;
#pragma tunepass loop(i, j, k) tile(i: TI, k: TK) order(ORDER) unroll_and_jam(i: UI, k: UK)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++)
                D[i * m + j] += T[i * n + k] * C[k * m + j];
}
