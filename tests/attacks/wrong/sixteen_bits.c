/* expect: wrong_result */
/* Multiplies the lower halves of whole numbers alone. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scaled(n = 6000, x: in int[n], y: out int[n])
void scaled(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = 5 * (x[i] & 0xFFFF);
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 5 * x[i];
#endif
}
