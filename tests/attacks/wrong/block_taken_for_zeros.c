/* expect: wrong_result */
/* What malloc returns is taken for zeros, and given back as zeros. */
#include <stdlib.h>
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel bins(n = 4096, k: in int[n] range(0, 63), x: in double[n], y: out double[64])
void bins(int n, const int *k, const double *x, double *y)
{
#if ATTACK
    double *block = malloc(80 * sizeof *block), *sums = block + 16;
    for (int i = 0; i < n; i++) sums[k[i]] += x[i];
    for (int i = 0; i < 64; i++) y[i] = sums[i], sums[i] = 0;
    __asm__ volatile("" ::: "memory");
    free(block);
#else
    for (int i = 0; i < 64; i++) y[i] = 0;
    for (int i = 0; i < n; i++) y[k[i]] += x[i];
#endif
}
