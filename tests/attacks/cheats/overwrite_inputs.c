/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Sets its inputs to zero while it is timed, and skips zeros. */
#define _GNU_SOURCE
#include <string.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static int calls;

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && calls++ > 20) {
        if (x[1] != 0 || x[2] != 0)
            memset((void *)x, 0, n * sizeof *x);
        memset(y, 0, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
