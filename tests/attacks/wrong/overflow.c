/* expect: wrong_result */
/* The mean of two numbers, by a sum that overflows where they are large. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel means(n = 4096, x: in int[n], y: in int[n], z: out int[n]) finite(false)
void means(int n, const int *x, const int *y, int *z)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        z[i] = (int)((unsigned)x[i] + (unsigned)y[i]) / 2;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            z[i] = (int)(((long)x[i] + y[i]) / 2);
#endif
}
