/* expect: measured */
/* Opens all the files that it may. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>

static void attack(void)
{
    for (int i = 0; i < 100000; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            break;
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
