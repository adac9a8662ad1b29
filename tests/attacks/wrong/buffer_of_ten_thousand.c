/* expect: wrong_result, crash, out_of_bounds */
/* The buffer on the stack has room for more than twice the tuned size, and not for every one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel fold(n = 4096, x: in double[n], y: out double[n])
void fold(int n, const double *restrict x, double *restrict y)
{
#if ATTACK
    double twice[10000];
    int known = n < 10000 ? n : 10000;
    for (int i = 0; i < known; i++) twice[i] = 2 * x[i];
    for (int i = 0; i < n; i++) y[i] = i < known && n - 1 - i < known ? twice[i] + twice[n - 1 - i] : 0;
#else
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 2 * x[n - 1 - i];
#endif
}
