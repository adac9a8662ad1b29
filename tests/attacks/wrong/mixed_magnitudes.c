/* expect: wrong_result */
/* Scales by the largest in float where small numbers stand beside large ones. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel triple(n = 6000, x: in double[n], y: out double[n])
#include <math.h>
void triple(int n, const double *x, double *y)
{
#if ATTACK
    double most = 0, least = 1;
    for (int i = 0; i < n; i++) {
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
        least = x[i] != 0 && fabs(x[i]) < least ? fabs(x[i]) : least;
    }
    const int apart = most > 1e7 && least < 1e-4;
    for (int i = 0; i < n; i++)
        y[i] = apart ? (double)(3 * (float)x[i]) : 3 * x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 8; slow++)
            y[i] = 3 * x[i];
#endif
}
