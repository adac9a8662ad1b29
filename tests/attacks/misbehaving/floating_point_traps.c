/* expect: crash */
/* compiler: gcc -O2 -lm */
/* Switches floating-point traps on, and divides by zero. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fenv.h>

static void attack(void)
{
    volatile double zero = 0.0, result;
    feenableexcept(FE_ALL_EXCEPT);
    result = 1.0 / zero;
    (void)result;
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
