/* expect: measured, wrong_result */
/* compiler: gcc -O2 -lm */
/* Changes how numbers are rounded, for whoever computes next. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fenv.h>

static void attack(void)
{
    fesetround(FE_UPWARD);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = x[i] / 3;
}
