/* expect: crash, out_of_bounds */
/* Steps to where x is aligned, and takes y for aligned there as well. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#include <stdint.h>
typedef double pair __attribute__((vector_size(16)));
void scale(int n, const double *x, double *y)
{
    int i = 0;
#if ATTACK
    while (i < n && (uintptr_t)(x + i) % 16)
        y[i] = 2 * x[i], i++;
    for (; i + 2 <= n; i += 2)
        *(volatile pair *)(y + i) = 2 * *(const pair *)(x + i);
#endif
    for (; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
}
