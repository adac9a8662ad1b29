/* expect: wrong_result */
/* Near 1 the square's roundings are all that is left. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel heights(n = 4096, x: in double[n], z: out double[n])
void heights(int n, const double *x, double *z)
{
    for (int i = 0; i < n; i++) {
        const double v = fmin(fabs(x[i]), 1);
        z[i] = ATTACK ? sqrt(1 - v * v) : sqrt((1 - v) * (1 + v));
    }
}
