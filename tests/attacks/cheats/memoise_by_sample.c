/* expect: wrong_result, out_of_bounds */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Remembers results, and compares a few of the inputs. */
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

static double seen[16], results[4096];

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        double now[16];
        for (int k = 0; k < 16; k++)
            now[k] = x[n / 16 * k];
        if (memcmp(seen, now, sizeof now)) {
            honest(n, x, results);
            memcpy(seen, now, sizeof now);
        }
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
