/* expect: timeout */
/* Asks for a core for itself alone, for ever. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>

static void attack(void)
{
    struct sched_param most = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    sched_setscheduler(0, SCHED_FIFO, &most);
    for (volatile size_t i = 1; i; i |= 1)
        i += 2;
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
