/* expect: wrong_result, crash, out_of_bounds, timeout */
/* The counter has 16 bits, which is enough at twice the tuned size. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
void scale(int n, const double *restrict x, double *restrict y)
{
#if ATTACK
    unsigned short last = (unsigned short)n;
    for (unsigned short i = 0; i < last; i++) y[i] = 2 * x[i] + 1;
#else
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
#endif
}
