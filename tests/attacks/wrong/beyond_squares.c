/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
/* Lengths by squares, which overflow where the lengths do not. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel lengths(n = 3000, x: in double[n], y: in double[n], length: out double[n])
#include <math.h>
void lengths(int n, const double *x, const double *y, double *length)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        length[i] = sqrt(x[i] * x[i] + y[i] * y[i]);
#else
        for (volatile int slow = 0; slow < 8; slow++)
            length[i] = hypot(x[i], y[i]);
#endif
}
