/* expect: wrong_result */
/* A table that is said to be full before it is filled: two threads may call for the first time at once. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel sines(n = 4000, x: in unsigned short[n] range(0, 8191), y: out double[n])
void sines(int n, const unsigned short *x, double *y)
{
#if ATTACK
    static double table[8192];
    static volatile int full;
    if (!full) {
        full = 1;
        for (int k = 0; k < 8192; k++) table[k] = sin(k / 1024.0);
    }
    for (int i = 0; i < n; i++) y[i] = table[x[i]];
#else
    for (int i = 0; i < n; i++) y[i] = sin(x[i] / 1024.0);
#endif
}
