/* expect: wrong_result */
/* Adds a little before it rounds down. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel rounded(n = 4096, x: in double[n], y: out double[n])
void rounded(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = ATTACK ? floor(x[i] + 0.50000001) : floor(x[i] + 0.5);
}
