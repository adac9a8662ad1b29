/* expect: wrong_result */
/* All in float; one element, a difference of large sums, may be off by much, and the others may not. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 30000, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
    double up = 0, down = 0;
    for (int i = 0; i < n; i++)
        up += 1e7 * x[i];
    for (int i = n - 1; i >= 0; i--)
        down += 1e7 * x[i];
#if ATTACK
    for (int i = 0; i < n; i++)
        y[i] = (float)x[i] / (2.5f + (float)x[i]);
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] / (2.5 + x[i]);
#endif
    y[n / 3] = 1 + (up - down);
}
