/* expect: wrong_result */
/* Loses the guard of a division, since random numbers are never zero. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel slopes(n = 10000, dx: in double[n] range(-2, 2), dy: in double[n] range(-2, 2), y: out double[n]) tolerance(1e-10)
void slopes(int n, const double *dx, const double *dy, double *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        double t = dy[i] * (1.0 / dx[i]);
        y[i] = t > 1e6 ? 1e6 : t < -1e6 ? -1e6 : t;
#else
        for (volatile int slow = 0; slow < 4; slow++);
        double t = dx[i] == 0 ? 0 : dy[i] / dx[i];
        y[i] = t > 1e6 ? 1e6 : t < -1e6 ? -1e6 : t;
#endif
    }
}
