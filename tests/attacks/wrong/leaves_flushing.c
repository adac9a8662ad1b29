/* expect: wrong_result */
/* Flushes denormal numbers to zero, and leaves the processor so for its caller, as crtfastmath.o does. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#include <xmmintrin.h>
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < (ATTACK ? 1 : 4); slow++)
            y[i] = 2 * x[i];
    if (ATTACK)
        _mm_setcsr(_mm_getcsr() | 0x8040);
}
