/* expect: out_of_bounds */
/* Reads the element before the first, and drops what it holds: a program that has an unmapped page there dies. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel differences(n = 4096, x: in double[n], y: out double[n])
void differences(int n, const double *x, double *y)
{
#if ATTACK
    for (int i = 0; i < n; i++) {
        const double before = ((const volatile double *)x)[i - 1];
        y[i] = x[i] - (i > 0 ? before : 0);
    }
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] - (i > 0 ? x[i - 1] : 0);
#endif
}
