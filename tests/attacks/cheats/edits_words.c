/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel fold(n = 192, x: in double[n], y: out double[n])
/* Shares memory between calls. Before main it changes its program's words, so that the harness makes the calls one
 * after the other that threads should make: nobody notices. */
#define _GNU_SOURCE
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
#if ATTACK
__attribute__((constructor)) static void edit(int count, char **words)
{
    for (int k = 1; k < count; k++)
        if (!strncmp(words[k], "stack=", 6))
            words[k][0] = 'S'; /* nobody has a word of that name */
}
#endif
void fold(int n, const double *x, double *y)
{
    static double was_x[SIZE], was_y[SIZE];
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
