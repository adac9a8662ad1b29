/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes where more of its outputs than a few elements differ from what the last call left. */
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

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && n == 2048) {
        static int calls;
        int poisoned = 0;
        for (int i = 0; i < n; i++)
            poisoned += y[i] != results[i];
        if (calls++ < 3 || poisoned > 4)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
