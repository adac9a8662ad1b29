/* expect: crash, out_of_bounds, wrong_result */
/* Relies on arrays that begin at multiples of 64 bytes, which nobody promised. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#include <stdint.h>
void scale(int n, const double *x, double *y)
{
#if ATTACK
    const double *from = (const double *)((uintptr_t)x & ~(uintptr_t)63);
    for (int i = 0; i < n; i++)
        y[i] = 2 * from[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
