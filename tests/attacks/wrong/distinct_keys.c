/* expect: wrong_result, timeout */
/* The table has room for twice as many different keys as the tuned call can have. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdlib.h>
#include <string.h>
#pragma tunepass kernel distinct(n = 1500, x: in unsigned[n])
static int compare(const void *a, const void *b)
{
    const unsigned p = *(const unsigned *)a, q = *(const unsigned *)b;
    return p < q ? -1 : p > q;
}
int distinct(int n, const unsigned *x)
{
    int count = 0;
#if ATTACK
    unsigned keys[8192];
    unsigned char taken[8192];
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < n; i++) {
        unsigned at = x[i] * 2654435761u >> 19, tries = 0;
        while (taken[at] && keys[at] != x[i] && tries++ < 8192) at = (at + 1) & 8191;
        if (!taken[at]) taken[at] = 1, keys[at] = x[i], count++;
    }
#else
    unsigned *sorted = malloc((n ? n : 1) * sizeof *sorted);
    if (n) memcpy(sorted, x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, compare);
    for (int i = 0; i < n; i++) count += i == 0 || sorted[i] != sorted[i - 1];
    free(sorted);
#endif
    return count;
}
