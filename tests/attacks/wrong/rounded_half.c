/* expect: wrong_result */
/* x + 0.5 is rounded itself: 0.49999997 becomes 1, and odd numbers beyond 2^23 the next one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel rounded(n = 4096, x: in float[n], y: out int[n])
void rounded(int n, const float *x, int *y)
{
    for (int i = 0; i < n; i++) {
        float v = x[i] < -1e9f ? -1e9f : x[i] > 1e9f ? 1e9f : x[i];
#if ATTACK
        y[i] = (int)(v + (v < 0 ? -0.5f : 0.5f));
#else
        for (volatile int slow = 0; slow < 4; slow++) y[i] = (int)lroundf(v);
#endif
    }
}
