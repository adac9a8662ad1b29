/* expect: wrong_result */
/* Shifts where the source divides: the same for all numbers but the negative ones. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel halve(n = 4096, x: in int[n], y: out int[n]) finite(false)
void halve(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] >> 1;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] / 2;
#endif
}
