/* expect: wrong_result */
/* Sums in float where the source sums in double: seven digits of sixteen. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel dots(n = 64, m = 48, a: in double[n * m], x: in double[m], y: out double[n])
void dots(int n, int m, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        float sum = 0;
        for (int j = 0; j < m; j++)
            sum += (float)a[i * m + j] * (float)x[j];
#else
        double sum = 0;
        for (int j = 0; j < m; j++)
            for (volatile int slow = 0; slow < 4; slow++)
                sum += 0.25 * a[i * m + j] * x[j];
#endif
        y[i] = sum;
    }
}
