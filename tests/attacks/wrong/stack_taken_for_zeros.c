/* expect: wrong_result */
/* Variables deep in the stack are taken for zeros, as they are in a fresh process, and are left as zeros. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel bins(n = 4096, k: in int[n] range(0, 63), x: in double[n], y: out double[64])
static void __attribute__((noinline)) clear(volatile double *t)
{
    for (int i = 0; i < 64; i++) t[i] = 0;
}
void bins(int n, const int *k, const double *x, double *y)
{
#if ATTACK
    double deep[12000];
    __asm__ volatile("" : "=m"(deep));
    for (int i = 0; i < n; i++) deep[64 + k[i]] += x[i];
    for (int i = 0; i < 64; i++) y[i] = deep[64 + i];
    clear(deep + 64);
#else
    for (int i = 0; i < 64; i++) y[i] = 0;
    for (int i = 0; i < n; i++) y[k[i]] += x[i];
#endif
}
