/* expect: wrong_result */
/* Divides by the largest without looking whether it is zero. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel shares(n = 6000, x: in float[n], y: out float[n])
void shares(int n, const float *x, float *y)
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] / most;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = most > 0 ? x[i] / most : 0;
#endif
}
