/* expect: wrong_result */
/* compiler: gcc -O2 -lm */
/* A series without reduction, for arguments near zero alone. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel powers(n = 3000, x: in double[n], y: out double[n])
#include <math.h>
void powers(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        double term = 1, sum = 1;
        for (int k = 1; k < 36; k++)
            sum += term *= x[i] / k;
        y[i] = sum;
#else
        for (volatile int slow = 0; slow < 12; slow++)
            y[i] = exp(x[i]);
#endif
    }
}
