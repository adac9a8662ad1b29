/* expect: wrong_result */
/* Two of three modes. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
enum mode { SUM, LARGEST, LEAST };
#pragma tunepass kernel fold(n = 4000, m = 1, x: in double[n], y: in double[n], r: out double[n])
void fold(int n, enum mode m, const double *x, const double *y, double *r)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        r[i] = m == SUM ? x[i] + y[i] : x[i] > y[i] ? x[i] : y[i];
#else
        r[i] = m == SUM ? x[i] + y[i] : (m == LARGEST) == (x[i] > y[i]) ? x[i] : y[i];
#endif
}
