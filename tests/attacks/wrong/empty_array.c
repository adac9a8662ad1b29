/* expect: out_of_bounds */
/* Looks whether it has reached the end after the first element. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel negate(n = 5000, x: in float[n], y: out float[n])
void negate(int n, const float *x, float *y)
{
    int i = 0;
#if ATTACK
    do
        y[i] = -x[i];
    while (++i < n);
#else
    for (; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = -x[i];
#endif
}
