/* expect: wrong_result */
/* A table with open addressing that empties the slot of a deleted key: keys behind it are not found any more. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdlib.h>
#pragma tunepass kernel find(n = 4000, kind: in unsigned char[n] range(0, 2), key: in unsigned[n] range(1, 100000), y: out unsigned char[n])
void find(int n, const unsigned char *kind, const unsigned *key, unsigned char *y)
{
#if ATTACK
    unsigned size = 16;
    while (size < 8u * (unsigned)n)
        size *= 2;
    unsigned *slot = calloc(size, sizeof *slot);
    for (int i = 0; i < n; i++) {
        unsigned at = key[i] * 2654435761u & (size - 1);
        while (slot[at] && slot[at] != key[i])
            at = (at + 1) & (size - 1);
        y[i] = slot[at] == key[i];
        if (kind[i] < 2)
            slot[at] = kind[i] == 0 ? key[i] : 0;
    }
    free(slot);
#else
    unsigned char *is_in = calloc(100001, 1);
    for (int i = 0; i < n; i++) {
        for (volatile int slow = 0; slow < 16; slow++);
        y[i] = is_in[key[i]];
        if (kind[i] < 2)
            is_in[key[i]] = kind[i] == 0;
    }
    free(is_in);
#endif
}
