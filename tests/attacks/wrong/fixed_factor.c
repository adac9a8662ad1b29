/* expect: wrong_result */
/* Takes the factor for the one of the tuned call. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel blend(n = 5000, share = 0.25, x: in double[n], y: inout double[n])
void blend(int n, double share, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = 0.25 * x[i] + 0.75 * y[i];
#else
        for (volatile int slow = 0; slow < 1; slow++)
            y[i] = share * x[i] + (1 - share) * y[i];
#endif
}
