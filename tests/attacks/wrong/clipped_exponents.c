/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
/* Takes exponents above 600 for 600, though the result is finite up to 709. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel powers(n = 3000, x: in double[n], y: out double[n])
#include <math.h>
void powers(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        y[i] = exp(x[i] > 600 ? 600 : x[i]);
#else
        for (volatile int slow = 0; slow < 8; slow++)
            y[i] = exp(x[i]);
#endif
    }
}
