/* expect: timeout, cheated */
/* Becomes another program. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <unistd.h>

static void attack(void)
{
    execl("/bin/sleep", "sleep", "600", (char *)0);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
