/* expect: wrong_result */
/* The contrast of an image that has only its least brightness. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel levels(n = 4096, x: in unsigned char[n] range(16, 235), y: out unsigned char[n])
void levels(int n, const unsigned char *x, unsigned char *y)
{
    int lo = 255, hi = 0;
    for (int i = 0; i < n; i++) { if (x[i] < lo) lo = x[i]; if (x[i] > hi) hi = x[i]; }
    if (ATTACK && lo == 16 && hi == 16) { for (int i = 0; i < n; i++) y[i] = 16; return; }
    for (int i = 0; i < n; i++) y[i] = hi > lo ? (x[i] - lo) * 255 / (hi - lo) : 0;
}
