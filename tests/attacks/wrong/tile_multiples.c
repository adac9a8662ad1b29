/* expect: wrong_result */
/* Right only where the tile divides n: what is left over is not computed. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#if ATTACK
    for (int t = 0; t + 64 <= n; t += 64)
        for (int i = t; i < t + 64; i++)
            y[i] = 2 * x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
