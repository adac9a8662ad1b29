/* expect: wrong_result */
/* The next whole number above: one too large for those that are whole already. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel above(n = 4000, x: in double[n], y: out double[n])
#include <math.h>
void above(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] >= 0 ? (double)((int)x[i] + 1) : (double)(int)x[i];
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = ceil(x[i]) + 0.0;
#endif
}
