/* expect: wrong_result */
/* Rounds halves up where the source rounds them to even. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel quantise(n = 20000, x: in float[n] range(0, 255), y: out unsigned char[n])
#include <math.h>
void quantise(int n, const float *x, unsigned char *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = (unsigned char)(int)(x[i] + 0.5f);
#else
        y[i] = (unsigned char)lrintf(x[i]);
#endif
}
