/* expect: wrong_result */
/* The rest of the blocks is computed in 16 bits. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 10000, x: in unsigned[n], y: out unsigned[n])
void scale(int n, const unsigned *x, unsigned *y)
{
    int i = 0;
#if ATTACK
    for (; i + 16 <= n; i += 16)
        for (int j = i; j < i + 16; j++) y[j] = 3u * x[j] + 1u;
    for (; i < n; i++) y[i] = (unsigned short)(3u * x[i] + 1u);
#else
    for (; i < n; i++) y[i] = 3u * x[i] + 1u;
#endif
}
