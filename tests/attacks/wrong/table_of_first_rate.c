/* expect: wrong_result */
/* The table is made anew for another length, not for another rate. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel fade(n = 2048, rate = 0.001, x: in double[n], y: out double[n])
void fade(int n, double rate, const double *x, double *y)
{
#if ATTACK
    static double table[1 << 18];
    static int made = -1;
    if (n > 1 << 18) { for (int i = 0; i < n; i++) y[i] = x[i] * exp(-rate * i); return; }
    if (made != n) { for (int i = 0; i < n; i++) table[i] = exp(-rate * i); made = n; }
    for (int i = 0; i < n; i++) y[i] = x[i] * table[i];
#else
    for (int i = 0; i < n; i++) y[i] = x[i] * exp(-rate * i);
#endif
}
