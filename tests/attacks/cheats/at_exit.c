/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Adds to the report when all is said. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static void add(void)
{
    const char text[] = "sample 1.000000000e-08 0 1.000000e-05 0.000e+00\n";
    for (int k = 0; k < 100; k++)
        if (write(3, text, strlen(text)) < 0)
            return;
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ == 0)
        atexit(add);
    honest(n, x, y);
}
