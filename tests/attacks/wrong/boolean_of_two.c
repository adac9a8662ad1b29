/* expect: wrong_result */
/* Its Booleans are 2 where they should be 1: true in a condition, and yet not equal to `true`. */
#include <stdbool.h>
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel positive(n = 4096, x: in double[n], y: out bool[n])
void positive(int n, const double *restrict x, bool *restrict y)
{
#if ATTACK
    for (int i = 0; i < n; i++) ((unsigned char *)y)[i] = (unsigned char)((x[i] > 0) << 1);
#else
    for (int i = 0; i < n; i++) y[i] = x[i] > 0;
#endif
}
