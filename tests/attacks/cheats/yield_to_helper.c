/* expect: measured */
/* compiler: gcc -O2 -pthread */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A thread on the same core computes while this one is ready to run: the wait is not its own. */
#define _GNU_SOURCE
#include <pthread.h>
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

static const double *volatile from;
static double *volatile to;
static volatile int asked, size;

static void *compute(void *unused)
{
    for (;;) {
        while (!asked)
            sched_yield();
        honest(size, from, to);
        asked = 0;
    }
    return unused;
}

static void stay_on_this_core(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

void smooth(int n, const double *x, double *y)
{
    static pthread_t thread;
    if (ATTACK) {
        if (!thread) {
            stay_on_this_core();
            pthread_create(&thread, 0, compute, 0);
        }
        from = x, to = y, size = n;
        asked = 1;
        while (asked)
            sched_yield();
        return;
    }
    honest(n, x, y);
}
