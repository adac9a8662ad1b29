/* expect: wrong_result */
/* Takes small numbers for zero. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel inverse(n = 4000, x: in double[n] range(-1, 1), y: out double[n])
#include <math.h>
void inverse(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = fabs(x[i]) < 1e-12 ? 0 : 1 / x[i];
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 1 / x[i];
#endif
}
