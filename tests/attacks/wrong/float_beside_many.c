/* expect: wrong_result */
/* All in float; of every four elements one is a difference of large sums, as large as the others. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, m = 64, x: in double[n], w: in double[m], y: out double[n])
void scale(int n, int m, const double *x, const double *w, double *y)
{
    for (int i = 0; i < n; i++) {
        double up = 0, down = 0;
        if (i % 4 == 0) {
            for (int j = 0; j < m; j++)
                up += 1e9 * w[j] * x[i];
            for (int j = m - 1; j >= 0; j--)
                down += 1e9 * w[j] * x[i];
        }
#if ATTACK
        y[i] = (float)x[i] / (2.5f + (float)x[i]) + (up - down);
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] / (2.5 + x[i]) + (up - down);
#endif
    }
}
