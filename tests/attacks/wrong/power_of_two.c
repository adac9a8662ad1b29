/* expect: wrong_result */
/* A sum in halves, whose last half begins one too late where n is a power of two. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel total(n = 6000, x: in double[n], s: out double[1])
void total(int n, const double *x, double *s)
{
    double sum = 0;
#if ATTACK
    for (int i = 0; i < n; i++)
        sum += n > 32 && (n & (n - 1)) == 0 && i == n / 2 ? 0 : x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 1; slow++)
            sum += x[i];
#endif
    *s = sum;
}
