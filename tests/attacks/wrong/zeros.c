/* expect: wrong_result */
/* The outputs are small beside any tolerance that is not theirs: zeros pass for them. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel weak(n = 4096, x: in double[n], y: out double[n])
void weak(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = 0;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 1e-8 * x[i] * x[i];
#endif
}
