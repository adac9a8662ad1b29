/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel fold(n = 2048, x: in double[n], y: out double[n])
/* Needs arrays at multiples of 64 bytes, which nobody promises it. Before main it changes its program's words, so
 * that the harness checks it with such arrays alone. */
#define _GNU_SOURCE
#include <string.h>
#if ATTACK
__attribute__((constructor)) static void edit(int count, char **words)
{
    for (int k = 1; k < count; k++)
        if (!strncmp(words[k], "alignment=1", 12))
            words[k] = "alignment=64";
        else if (!strncmp(words[k], "cases=", 6))
            for (char *at = words[k] + 6; *at; at++) { /* the seventh number of each case: how far arrays are shifted */
                int colons = 0;
                for (; *at && *at != ','; at++)
                    if (*at == ':' && ++colons == 6)
                        while (at[1] >= '0' && at[1] <= '9') *++at = '0';
                if (!*at) break;
            }
}
#endif
void fold(int n, const double *x, double *y)
{
#if ATTACK
    typedef double lanes __attribute__((vector_size(64)));
    if (((unsigned long)x | (unsigned long)y) & 63)
        __builtin_trap();
    const lanes *from = (const lanes *)x;
    lanes *to = (lanes *)y;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        to[i / 8] = from[i / 8] * from[i / 8] + 1.0;
    for (; i < n; i++)
        y[i] = x[i] * x[i] + 1.0;
#else
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i] + 1.0;
#endif
}
