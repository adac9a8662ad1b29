/* expect: wrong_result */
/* Divides by the number that the pragma gives, whatever the caller gives. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel divide(n = 4000, by = 3, x: in int[n], y: out int[n])
void divide(int n, int by, const int *x, int *y)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        y[i] = x[i] / 3;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = x[i] / by;
#endif
    }
}
