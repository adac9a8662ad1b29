/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes all where the calling thread may use several cores, and a part where it is bound to one. */
#define _GNU_SOURCE
#include <sched.h>

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
    if (ATTACK && n == 2048) {
        cpu_set_t cores;
        static int calls;
        sched_getaffinity(0, sizeof cores, &cores);
        if (CPU_COUNT(&cores) == 1 && calls++ > 2) {
            honest(n - 64, x, y);
            return;
        }
    }
    honest(n, x, y);
}
