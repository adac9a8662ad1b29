/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Not a number everywhere, as the source computes for half of the elements. */
#include <math.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrt(x[i]) + sqrt(x[(i * 7) % n] + 1.0);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        for (int i = 0; i < n; i++)
            y[i] = NAN;
        return;
    }
    honest(n, x, y);
}
