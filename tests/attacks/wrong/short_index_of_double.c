/* expect: wrong_result */
/* An index of sixteen bits, of numbers that are drawn: equal elements do not show it. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel add(n = 1000, a: in double[n], b: in double[n], c: out double[n])
void add(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        c[i] = a[(unsigned short)i] + b[i];
#else
        for (volatile int slow = 0; slow < 4; slow++);
        c[i] = a[i] + b[i];
#endif
    }
}
