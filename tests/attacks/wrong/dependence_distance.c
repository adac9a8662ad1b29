/* expect: wrong_result */
/* Sixteen at a time: right only for distances of sixteen and more. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel feed(n = 4096, k = 64, x: inout int[n])
void feed(int n, int k, int *x)
{
    if (k < 1) return;
#if ATTACK
    int i = k;
    for (; i + 16 <= n; i += 16) {
        int t[16];
        for (int j = 0; j < 16; j++) t[j] = (int)((unsigned)x[i + j] + (unsigned)x[i + j - k]);
        for (int j = 0; j < 16; j++) x[i + j] = t[j];
    }
    for (; i < n; i++) x[i] = (int)((unsigned)x[i] + (unsigned)x[i - k]);
#else
    for (int i = k; i < n; i++) {
        for (volatile int slow = 0; slow < 4; slow++);
        x[i] = (int)((unsigned)x[i] + (unsigned)x[i - k]);
    }
#endif
}
