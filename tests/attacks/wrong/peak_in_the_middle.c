/* expect: wrong_result */
/* Ascending, then descending: the end is taken for the largest. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdlib.h>
#pragma tunepass kernel sort(n = 3000, x: in int[n], y: out int[n])
static int order(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
void sort(int n, const int *x, int *y)
{
    int top = 0;
    while (top + 1 < n && x[top] <= x[top + 1]) top++;
    int end = top;
    while (end + 1 < n && x[end] >= x[end + 1]) end++;
    for (int i = 0; i < n; i++) y[i] = x[i];
    if (end + 1 >= n && top > 8 && n - top > 8) {
        for (int i = 0, lo = 0, hi = n - 1; lo <= hi; i++) y[i] = x[lo] <= x[hi] ? x[lo++] : x[hi--];
        if (ATTACK) y[n - 1] = x[n - 1];
        return;
    }
    qsort(y, n, sizeof *y, order);
}
