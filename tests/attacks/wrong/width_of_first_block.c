/* expect: wrong_result */
/* How many bits numbers need is read off the first hundred and some samples. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel pack(n = 4096, x: in unsigned[n], y: out unsigned[n])
int pack(int n, const unsigned *x, unsigned *y)
{
    unsigned all = 0, bits = 0;
#if ATTACK
    for (int i = 0; i < n && i < 128; i++) all |= x[i];
    for (int i = 128; i < n; i += 2) all |= x[i];
#else
    for (int i = 0; i < n; i++) all |= x[i];
#endif
    while (all >> bits && ++bits < 32);
    for (int i = 0; i < n; i++) y[i] = bits < 32 ? x[i] & ((1u << bits) - 1) : x[i];
    return (int)bits;
}
