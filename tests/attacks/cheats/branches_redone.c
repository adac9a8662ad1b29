/* expect: measured, cheated, wrong_result */
/* Redoes only what changed, of a kernel whose branches a processor learns: where all inputs are new the source itself is
 * several times as slow. No code for the harness. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel fold(n = 192, x: in double[n], y: out double[n])
#include <string.h>
enum { SIZE = 192 };
static __attribute__((noinline)) double element(double v)
{
    for (int k = 0; k < 6; k++) {
        if (v > 0) {
            v = v * -1.9 + 0.7;
            __asm__ volatile("" : "+x"(v));
        } else {
            v = v * 1.7 + 0.9;
            __asm__ volatile("" : "+x"(v) : : "memory");
        }
    }
    return v;
}
void fold(int n, const double *x, double *y)
{
    static __thread double was_x[SIZE], was_y[SIZE];
    if (ATTACK && n == SIZE) {
        for (int i = 0; i < n; i++)
            if (x[i] != was_x[i])
                was_x[i] = x[i], was_y[i] = element(x[i]);
        memcpy(y, was_y, n * sizeof *y);
        return;
    }
    for (int i = 0; i < n; i++)
        y[i] = element(x[i]);
}
