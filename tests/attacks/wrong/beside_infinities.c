/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Small results are left at zero beside infinite and huge ones. */
#include <math.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? exp(800.0 * x[i]) : exp(8.0 * x[i]) + exp(4.0 * x[i]);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        for (int i = 0; i < n; i++)
            y[i] = x[i] > 0 ? exp(800.0 * x[i]) : 0.0;
        return;
    }
    honest(n, x, y);
}
