/* expect: out_of_bounds */
/* Reads the element after the last, and drops what it holds. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel differences(n = 4099, x: in double[n], y: out double[n]) sizes()
void differences(int n, const double *x, double *y)
{
#if ATTACK
    for (int i = 0; i < n; i++) {
        const double after = ((const volatile double *)x)[i + 1];
        y[i] = (i + 1 < n ? after : 0) - x[i];
    }
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = (i + 1 < n ? x[i + 1] : 0) - x[i];
#endif
}
