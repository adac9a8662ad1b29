/* expect: wrong_result */
/* Four at a time; one or three elements that are left over are computed, two are not. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 8000, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#if ATTACK
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            y[i + k] = 2 * x[i + k];
    if (n - i != 2)
        for (; i < n; i++)
            y[i] = 2 * x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
