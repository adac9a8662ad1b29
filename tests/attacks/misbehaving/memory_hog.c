/* expect: memory, timeout */
/* Takes memory until there is none. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

static void attack(void)
{
    for (;;) {
        void *block = malloc(64 << 20);
        if (!block)
            abort();
        memset(block, 1, 64 << 20);
    }
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
