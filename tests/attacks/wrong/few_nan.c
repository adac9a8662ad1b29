/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* One element in a thousand is not a number, the rest is right. */
#include <math.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

void smooth(int n, const double *x, double *y)
{
    honest(n, x, y);
    if (ATTACK)
        for (int i = 500; i < n; i += 1000)
            y[i] = NAN;
}
