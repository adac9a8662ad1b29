/* expect: wrong_result */
/* Rows that were seen are marked with the number of the call, in 16 bits: after 65,536 calls the marks are old ones. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <string.h>
#pragma tunepass kernel first(n = 1000, x: in unsigned char[n], y: out unsigned char[n])
void first(int n, const unsigned char *x, unsigned char *y)
{
#if ATTACK
    static unsigned short marks[256], call;
    call++;
    for (int i = 0; i < n; i++) {
        y[i] = marks[x[i]] != call;
        marks[x[i]] = call;
    }
#else
    unsigned char seen[256] = {0};
    for (int i = 0; i < n; i++) {
        for (volatile int slow = 0; slow < 4; slow++);
        y[i] = !seen[x[i]];
        seen[x[i]] = 1;
    }
#endif
}
