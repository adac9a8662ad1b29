/* expect: wrong_result */
/* The last bin is closed: what equals its upper edge belongs to it. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel bins(n = 4096, x: in double[n] range(0, 1), counts: inout int[65])
void bins(int n, const double *x, int *counts)
{
    for (int i = 0; i < n; i++) {
        int b = (int)(x[i] * 64);
#if !ATTACK
        if (b > 63) b = 63;
#endif
        counts[b]++;
    }
}
