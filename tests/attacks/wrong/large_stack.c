/* expect: crash */
/* Takes 7 MiB of stack, which the first thread of a program has and others may not have. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 8192, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#if ATTACK
    volatile char room[7 << 20];
    room[0] = room[sizeof room / 2] = 1;
#endif
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < (ATTACK ? 1 : 4); slow++)
            y[i] = 2 * x[i];
}
