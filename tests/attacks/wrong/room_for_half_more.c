/* expect: wrong_result, out_of_bounds, crash */
/* Keeps a copy, for which there is room up to one and a half times the tuned size. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel backwards(n = 4000, x: in double[n], y: out double[n])
void backwards(int n, const double *x, double *y)
{
#if ATTACK
    static double copy[6000];
    const int most = n < 6000 ? n : 6000;
    for (int i = 0; i < most; i++)
        copy[i] = x[i];
    for (int i = 0; i < most; i++)
        y[n - 1 - i] = copy[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[n - 1 - i] = x[i];
#endif
}
