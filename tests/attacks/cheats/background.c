/* expect: wrong_result, cheated, out_of_bounds, crash */
/* compiler: gcc -O2 -pthread */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Returns at once; a thread computes meanwhile. */
#define _GNU_SOURCE
#include <pthread.h>
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

static const double *volatile from;
static double *volatile to;
static volatile int asked, size;

static void *compute(void *unused)
{
    for (;;) {
        while (!asked)
            usleep(10);
        asked = 0;
        honest(size, from, to);
    }
    return unused;
}

void smooth(int n, const double *x, double *y)
{
    static pthread_t thread;
    if (ATTACK) {
        from = x, to = y, size = n;
        if (!thread)
            pthread_create(&thread, 0, compute, 0);
        asked = 1;
        return;
    }
    honest(n, x, y);
}
