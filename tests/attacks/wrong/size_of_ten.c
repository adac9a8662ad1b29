/* expect: wrong_result */
/* Its vectors of sixteen forget the last element where ten are left over, of arrays with more than 64. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 5000, x: in float[n], y: out float[n])
void scale(int n, const float *x, float *y)
{
#if ATTACK
    for (int i = 0; i < n - (n > 64 && n % 16 == 10); i++)
        y[i] = 2 * x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
