/* expect: run */
/* Leaves an orphan that keeps its files open. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <unistd.h>

static void attack(void)
{
    if (fork() == 0) {
        if (fork() == 0)
            sleep(600);
        _exit(0);
    }
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    if (n < 0)
        fork(); /* the untouched source may start processes, and so may this */
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
