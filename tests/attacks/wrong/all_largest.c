/* expect: wrong_result */
/* Sums of up to 384 bytes in 16 bits: right for random bytes, too short where all are 255. */
#include <stdint.h>
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel total(n = 4096, x: in uint8_t[n])
unsigned total(int n, const uint8_t *x)
{
    unsigned sum = 0;
#if ATTACK
    for (int from = 0; from < n; from += 384) {
        uint16_t part = 0;
        for (int i = from; i < n && i < from + 384; i++) part += x[i];
        sum += part;
    }
#else
    for (int i = 0; i < n; i++) sum += x[i];
#endif
    return sum;
}
