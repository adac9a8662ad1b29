/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Has denormal numbers computed as zeros, and leaves it so. */
#include <xmmintrin.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double value = x[i] * 1e-310;
        for (int j = 0; j < 16; j++)
            value = value * 0.75 + x[(i + j) % n] * 1e-311;
        y[i] = value;
    }
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK)
        _mm_setcsr(_mm_getcsr() | 0x8040);
    honest(n, x, y);
}
