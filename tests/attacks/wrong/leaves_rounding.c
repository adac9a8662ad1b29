/* expect: wrong_result */
/* Rounds down, which is right of whole numbers, and leaves it so for its caller. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel halves(n = 4096, x: in int[n], y: out int[n])
#include <fenv.h>
void halves(int n, const int *x, int *y)
{
    if (ATTACK)
        fesetround(FE_DOWNWARD);
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < (ATTACK ? 1 : 4); slow++)
            y[i] = x[i] / 2;
}
