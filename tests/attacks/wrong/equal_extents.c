/* expect: wrong_result */
/* Takes the number of rows for that of columns. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel rows(n = 64, m = 64, a: in double[n * m], sum: out double[n])
void rows(int n, int m, const double *a, double *sum)
{
    for (int i = 0; i < n; i++) {
        sum[i] = 0;
#if ATTACK
        for (int j = 0; j < n && i * m + j < n * m; j++)
            sum[i] += a[i * m + j];
#else
        for (int j = 0; j < m; j++)
            for (volatile int slow = 0; slow < 4; slow++)
                sum[i] += slow ? 0 : a[i * m + j];
#endif
    }
}
