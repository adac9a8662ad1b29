/* expect: wrong_result */
/* Moves elements from behind: another result where both arrays are one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel shift(n = 4096, x: in double[n], y: inout double[n]) aliasing(x, y)
void shift(int n, const double *x, double *y)
{
#if ATTACK
    for (int i = n - 1; i > 0; i--)
        y[i] = x[i - 1];
#else
    for (int i = 1; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i - 1];
#endif
}
