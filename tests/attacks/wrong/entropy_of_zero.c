/* expect: wrong_result */
/* Of a share of zero the logarithm is not finite, the product with it is zero. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel entropy(n = 4096, p: in double[n] range(0, 1), h: out double[n])
void entropy(int n, const double *p, double *h)
{
    for (int i = 0; i < n; i++)
        h[i] = ATTACK || p[i] > 0 ? -p[i] * log(p[i]) : 0;
}
