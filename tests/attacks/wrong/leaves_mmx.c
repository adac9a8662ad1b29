/* expect: wrong_result */
/* Leaves the registers of MMX in use, without `emms`: the caller's next long double is NaN. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel doubled(n = 4096, x: in int[n], y: out int[n])
void doubled(int n, const int *x, int *y)
{
    int i = 0;
#if ATTACK
    for (; i + 2 <= n; i += 2) /* gcc makes SSE of what mmintrin.h has */
        __asm__("movq %1, %%mm0; paddd %%mm0, %%mm0; movq %%mm0, %0" : "=m"(*(long long *)(y + i)) : "m"(*(const long long *)(x + i)));
#endif
    for (; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
}
