/* expect: wrong_result */
/* lrintf rounds what is between two whole numbers to the even one, in whatever way the source's own roundings are found. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel quantize(n = 4096, scale = 0.5, x: in float[n], q: out signed char[n])
void quantize(int n, float scale, const float *x, signed char *q)
{
    for (int i = 0; i < n; i++) {
        float v = x[i] / scale;
        v = v < -128 ? -128 : v > 127 ? 127 : v;
        q[i] = (signed char)(ATTACK ? (long)floorf(v + 0.5f) : lrintf(v));
    }
}
