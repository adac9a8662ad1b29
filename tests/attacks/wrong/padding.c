/* expect: out_of_bounds */
/* Relies on arrays being padded to whole vectors: eight elements at a time, what was past the end is put back. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4099, x: in double[n], y: out double[n]) sizes()
void scale(int n, const double *x, double *y)
{
#if ATTACK
    double kept[8];
    const int whole = (n + 7) / 8 * 8;
    for (int i = n; i < whole; i++)
        kept[i - n] = ((volatile double *)y)[i];
    for (int i = 0; i < whole; i++)
        y[i] = 2 * x[i];
    for (int i = n; i < whole; i++)
        ((volatile double *)y)[i] = kept[i - n];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
#endif
}
