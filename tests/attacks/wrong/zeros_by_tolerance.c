/* expect: wrong_result */
/* As zeros.c, with a tolerance of the source's own that no output reaches. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel weak(n = 4096, x: in float[n], y: out float[n]) tolerance(1e-5, 1e-3)
void weak(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = 0;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 1e-4f * x[i];
#endif
}
