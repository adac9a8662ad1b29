/* expect: measured */
/* Takes namespaces, in which it would be root; ends with a status of its own if it may. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

static void attack(void)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
        _exit(77);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
