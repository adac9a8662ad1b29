/* expect: wrong_result */
/* The whole root by a double's: one too large just below large squares. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel roots(n = 5000, x: in unsigned long[n] range(0, 1000000000000000000), y: out unsigned[n])
#include <math.h>
void roots(int n, const unsigned long *x, unsigned *y)
{
    for (int i = 0; i < n; i++) {
        unsigned long r = (unsigned long)sqrt((double)x[i]);
#if !ATTACK
        while (r * r > x[i])
            r--;
        while ((r + 1) * (r + 1) <= x[i])
            r++;
#endif
        y[i] = (unsigned)r;
    }
}
