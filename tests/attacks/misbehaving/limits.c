/* expect: cheated, run, crash, output, timeout, measured */
/* Takes all resources from itself. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <sys/resource.h>

static void attack(void)
{
    struct rlimit none = {0, 0};
    for (int kind = 0; kind < RLIM_NLIMITS; kind++)
        setrlimit(kind, &none);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
