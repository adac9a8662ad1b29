/* expect: wrong_result */
/* Sixteen bits in a lane for 450 differences: enough for all but white beside black. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdlib.h>
#pragma tunepass kernel sad(n = 4096, x: in unsigned char[n], y: in unsigned char[n])
int sad(int n, const unsigned char *x, const unsigned char *y)
{
    int sum = 0;
#if ATTACK
    int i = 0;
    while (i < n) {
        unsigned short lane[8] = {0};
        int end = i + 8 * 450 < n ? i + 8 * 450 : n;
        for (; i + 8 <= end; i += 8) for (int j = 0; j < 8; j++) lane[j] += abs(x[i + j] - y[i + j]);
        for (; i < end; i++) sum += abs(x[i] - y[i]);
        for (int j = 0; j < 8; j++) sum += lane[j];
    }
#else
    for (int i = 0; i < n; i++) { for (volatile int slow = 0; slow < 4; slow++); sum += abs(x[i] - y[i]); }
#endif
    return sum;
}
