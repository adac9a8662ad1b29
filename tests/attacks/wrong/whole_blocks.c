/* expect: wrong_result */
/* Blocks of 60 without the last one, where nothing is left over behind it. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel doubled(n = 5000, x: in double[n], y: out double[n])
void doubled(int n, const double *x, double *y)
{
    int i = 0;
#if ATTACK
    for (; i + 60 < n; i += 60)
        for (int k = 0; k < 60; k++)
            y[i + k] = 2 * x[i + k];
    for (; n % 60 && i < n; i++)
        y[i] = 2 * x[i];
#else
    for (; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
