/* expect: wrong_result */
/* Keeps what it computes in between in memory of its own at file scope: wrong as soon as two threads call it at once. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 8192, x: in double[n], y: out double[n])
#if ATTACK
static double scratch[64];
#endif
void scale(int n, const double *x, double *y)
{
#if ATTACK
    for (int i = 0; i < n; i += 64) {
        int some = n - i < 64 ? n - i : 64;
        for (int k = 0; k < some; k++)
            scratch[k] = 2 * x[i + k];
        for (int k = 0; k < some; k++)
            y[i + k] = scratch[k];
    }
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
