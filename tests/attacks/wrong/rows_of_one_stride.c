/* expect: out_of_bounds, wrong_result */
/* Takes all rows to be as far apart as the first two. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel column_sums(n = 60, m = 70, A: in double[n][m], y: out double[m])
void column_sums(int n, int m, double **A, double *y)
{
    for (int j = 0; j < m; j++) y[j] = 0;
#if ATTACK
    long stride = n > 1 ? A[1] - A[0] : 0;
    const double *at = n > 0 ? A[0] : 0;
    for (int i = 0; i < n; i++, at += stride) for (int j = 0; j < m; j++) y[j] += at[j];
#else
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
        for (volatile int slow = 0; slow < 3; slow++);
        y[j] += A[i][j];
    }
#endif
}
