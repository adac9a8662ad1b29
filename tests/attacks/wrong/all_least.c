/* expect: wrong_result */
/* The product of a pair is taken for one of 31 bits, which -2^15 squared, twice, is not. */
#include <stdint.h>
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel dot(n = 2048, x: in int16_t[n], y: in int16_t[n])
long long dot(int n, const int16_t *x, const int16_t *y)
{
    long long sum = 0;
    int i = 0;
#if ATTACK
    for (; i + 1 < n; i += 2) sum += (int32_t)((uint32_t)(x[i] * y[i]) + (uint32_t)(x[i + 1] * y[i + 1]));
#endif
    for (; i < n; i++) sum += (long long)x[i] * y[i];
    return sum;
}
