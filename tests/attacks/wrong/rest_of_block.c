/* expect: wrong_result */
/* Blocks of 56, of which rests of more than 48 are cut off. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel halve(n = 5000, x: in double[n], y: out double[n])
void halve(int n, const double *x, double *y)
{
    int i = 0;
#if ATTACK
    for (; i + 56 <= n; i += 56)
        for (int k = 0; k < 56; k++)
            y[i + k] = 0.5 * x[i + k];
    const int left = n - i, done = i && left > 48 ? 48 : left;
    for (int k = 0; k < done; k++)
        y[i + k] = 0.5 * x[i + k];
#else
    for (; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 0.5 * x[i];
#endif
}
