/* expect: wrong_result */
/* Parts of numbers behind the point, by a conversion that large numbers do not survive. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel parts(n = 4000, x: in double[n], y: out double[n])
#include <math.h>
void parts(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] - (double)(int)x[i];
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] - trunc(x[i]);
#endif
}
