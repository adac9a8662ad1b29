/* expect: wrong_result */
/* Compares what lies between members. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <string.h>
struct cell { char kind; int value; };
#pragma tunepass kernel repeats(n = 4096, c: in struct cell[n])
int repeats(int n, const struct cell *c)
{
    int k = 0;
    for (int i = 1; i < n; i++) {
#if ATTACK
        k += !memcmp(&c[i - 1], &c[i], sizeof *c);
#else
        for (volatile int slow = 0; slow < 4; slow++);
        k += c[i - 1].kind == c[i].kind && c[i - 1].value == c[i].value;
#endif
    }
    return k;
}
