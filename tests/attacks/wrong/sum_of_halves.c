/* expect: wrong_result */
/* A sum of wide whole numbers in 32 bits. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel sum(n = 6000, x: in long long[n]) finite(false)
long long sum(int n, const long long *x)
{
#if ATTACK
    unsigned total = 0;
    for (int i = 0; i < n; i++)
        total += (unsigned)x[i];
    return total;
#else
    unsigned long long total = 0;
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            total += slow ? 0 : (unsigned long long)x[i];
    return (long long)total;
#endif
}
