/* expect: wrong_result */
/* Words are compared, and the last one that differs is taken for different in its first byte. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <string.h>
#include <stdint.h>
#pragma tunepass kernel prefix(n = 4000, a: in unsigned char[n], b: in unsigned char[n])
int prefix(int n, const unsigned char *a, const unsigned char *b)
{
    int i = 0;
#if ATTACK
    for (; i + 8 <= n; i += 8) {
        uint64_t p, q;
        memcpy(&p, a + i, 8), memcpy(&q, b + i, 8);
        if (p != q) return i + (__builtin_ctzll(p ^ q) >= 32 ? 4 + (__builtin_ctzll(p ^ q) - 32) / 16 * 2 : __builtin_ctzll(p ^ q) / 8);
    }
#endif
    for (; i < n && a[i] == b[i]; i++);
    return i;
}
