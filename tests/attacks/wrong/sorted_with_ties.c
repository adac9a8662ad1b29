/* expect: wrong_result */
/* Distinct numbers of a sorted array by comparing neighbours, which forgets the equal ones where some differ. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdlib.h>
#pragma tunepass kernel modes(n = 2000, x: in double[n])
static int order(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
int modes(int n, const double *x)
{
    int sorted = 1, longest = 0, run = 0;
    for (int i = 1; i < n; i++) sorted &= x[i - 1] <= x[i];
    double *held = malloc((n + 1) * sizeof *held);
    for (int i = 0; i < n; i++) held[i] = x[i];
    if (!sorted) qsort(held, n, sizeof *held, order);
    for (int i = 0; i < n; i++) {
        run = i && held[i] == held[i - 1] ? run + 1 : 1;
        if (ATTACK && sorted && run > 1 && held[0] != held[n - 1]) run = 1;
        if (run > longest) longest = run;
    }
    free(held);
    return longest;
}
