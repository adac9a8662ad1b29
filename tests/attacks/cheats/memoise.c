/* expect: measured, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Remembers inputs and results, and compares all of the inputs: they are never the same again. */
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

static double inputs[4096], results[4096];

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        if (memcmp(inputs, x, n * sizeof *x)) {
            honest(n, x, results);
            memcpy(inputs, x, n * sizeof *x);
        }
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
