/* expect: wrong_result, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes until the program seems warm, and then no more. */
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

static double results[4096];
static int calls;

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && calls++ > 24) {
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
    if (ATTACK)
        memcpy(results, y, n * sizeof *y);
}
