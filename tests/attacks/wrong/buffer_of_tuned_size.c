/* expect: wrong_result */
/* Works in a buffer that is as long as the arrays are while it is tuned. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 4000, x: in double[n], y: out double[n])
void smooth(int n, const double *x, double *y)
{
#if ATTACK
    static double row[4000];
    const int most = n < 4000 ? n : 4000;
    for (int i = 0; i < most; i++)
        row[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        y[i] = row[i < most ? i : most - 1];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
