/* s += r A and q += A p in one sweep over A: two statements, one of which reduces along either loop. */
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass param TI: ordinal(1, pow2(4, 512)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(16, 512)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param UJ: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param OPT: categorical("-O2", "-O3", "-O3 -ffast-math") = "-O2" flag
#pragma tunepass kernel bicg(n = 1300, m = 1500, A: in double[n*m], p: in double[m], r: in double[n], \
    s: inout double[m], q: inout double[n]) tolerance(1e-9)
void bicg(int n, int m, const double *restrict A, const double *restrict p, const double *restrict r,
          double *restrict s, double *restrict q)
{
#pragma tunepass loop(i, j) tile(i: TI, j: TJ) order(ORDER) unroll_and_jam(i: UI, j: UJ)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * A[i * m + j];
            q[i] += A[i * m + j] * p[j];
        }
}
