/* expect: wrong_result */
/* The angle of a cosine near 1 by a series that ends early. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel angles(n = 4096, x: in double[n] range(-1, 1), y: out double[n])
void angles(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        const double v = fmin(fmax(x[i], -1), 1);
        y[i] = ATTACK && v > 1 - 1e-6 && v < 1 ? sqrt(2 * (1 - v)) * 1.0001 : acos(v);
    }
}
