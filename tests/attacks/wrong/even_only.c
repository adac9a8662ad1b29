/* expect: out_of_bounds */
/* Two elements at a time, whatever n is. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 2000, x: in float[n], y: out float[n])
void scale(int n, const float *x, float *y)
{
#if ATTACK
    for (int i = 0; i < n; i += 2) {
        y[i] = 2 * x[i];
        y[i + 1] = 2 * x[i + 1];
    }
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
