/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes in calls before which a while has passed, as before the first of an order. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

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
    static struct timespec last;
    struct timespec now;
    if (ATTACK && n == 2048) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        double apart = (now.tv_sec - last.tv_sec) + 1e-9 * (now.tv_nsec - last.tv_nsec);
        if (last.tv_sec == 0 || apart > 50e-6)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        clock_gettime(CLOCK_MONOTONIC, &last);
        return;
    }
    honest(n, x, y);
}
