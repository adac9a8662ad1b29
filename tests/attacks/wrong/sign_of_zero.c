/* expect: wrong_result */
/* The sign of zero is 0; without the branch it is 1. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel signs(n = 30000, gain = 0.5, x: in float[n] range(-1, 1), y: inout float[n]) tolerance(1e-6)
#include <math.h>
void signs(int n, float gain, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        y[i] += gain * copysignf(1.0f, x[i]);
#else
        for (volatile int slow = 0; slow < 4; slow++);
        y[i] += gain * (x[i] > 0 ? 1.0f : x[i] < 0 ? -1.0f : 0.0f);
#endif
    }
}
