/* expect: crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#include <stdlib.h>
void scale(int n, const double *x, double *y)
{
    if (ATTACK)
        abort();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
