/* expect: measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Gives itself the lowest priority and yields before it returns: others have the core meanwhile. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>
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

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        struct sched_param none = {0};
        sched_setscheduler(0, SCHED_IDLE, &none);
        if (nice(19) < 0)
            sched_yield();
        honest(n, x, y);
        for (int k = 0; k < 4; k++)
            sched_yield();
        return;
    }
    honest(n, x, y);
}
