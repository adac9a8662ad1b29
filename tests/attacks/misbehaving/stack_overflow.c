/* expect: crash */
/* Runs out of stack. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <stddef.h>

static volatile int exit_code;
static size_t deeper(size_t depth)
{
    volatile char frame[4096];
    frame[depth % sizeof frame] = 1;
    return depth ? deeper(depth + 1) + (size_t)frame[0] : 0;
}

static void attack(void)
{
    exit_code = (int)deeper(1);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
