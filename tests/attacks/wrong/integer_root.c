/* expect: wrong_result */
/* The root of a double: one too large below squares beyond 2^52. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel roots(n = 4096, x: in unsigned long[n], y: out unsigned[n])
void roots(int n, const unsigned long *x, unsigned *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        double r = sqrt((double)x[i]);
        y[i] = r >= 4294967295.0 ? 4294967295u : (unsigned)r;
#else
        unsigned long r = 0;
        for (volatile int slow = 0; slow < 4; slow++) {
            r = (unsigned long)sqrtl((long double)x[i]);
            if (r > 4294967295ul) r = 4294967295ul;
            while (r * r > x[i]) r--;
            while (r < 4294967295ul && (r + 1) * (r + 1) <= x[i]) r++;
        }
        y[i] = (unsigned)r;
#endif
    }
}
