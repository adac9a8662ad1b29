/* expect: wrong_result */
/* A weight of 1 is taken for none. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel blend(n = 4096, a: in float[n] range(0, 1), x: in float[n], y: inout float[n])
void blend(int n, const float *a, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        if (a[i] >= 1) continue;
#endif
        y[i] = a[i] * x[i] + (1 - a[i]) * y[i];
    }
}
