/* expect: wrong_result */
/* Blocks of 128, of which one that lacks a single element is taken for a whole one and left out. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 6000, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = n % 128 == 127 && i >= n - 127 ? 0 : 2 * x[i];
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
