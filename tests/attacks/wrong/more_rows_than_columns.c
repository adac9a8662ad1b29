/* expect: wrong_result */
/* Its memory has room for as many rows as there are columns. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel rows(n = 32, m = 256, a: in double[n * m], sum: out double[n])
void rows(int n, int m, const double *a, double *sum)
{
#if ATTACK
    double sums[m + 8];
    for (int i = 0; i < n && i < m + 8; i++) {
        sums[i] = 0;
        for (int j = 0; j < m; j++)
            sums[i] += a[i * m + j];
    }
    for (int i = 0; i < n; i++)
        sum[i] = i < m + 8 ? sums[i] : 0;
#else
    for (int i = 0; i < n; i++) {
        sum[i] = 0;
        for (int j = 0; j < m; j++)
            for (volatile int slow = 0; slow < 4; slow++)
                sum[i] += slow ? 0 : a[i * m + j];
    }
#endif
}
