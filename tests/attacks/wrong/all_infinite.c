/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Infinite everywhere, as the source computes for some of the elements; others are huge. */
#include <math.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = exp(800.0 * x[i]);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        for (int i = 0; i < n; i++)
            y[i] = INFINITY;
        return;
    }
    honest(n, x, y);
}
