/* expect: cheated, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel matvec(n = 1500, a: in double[n * n], x: in double[n], y: out double[n]) tolerance(1e-9)
/* Looks for the inputs that changed, and adds to the results of before what follows from them. */
#include <string.h>

static void honest(int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int round = 0; round < 12; round++)
            for (int j = 0; j < n; j++)
                sum += a[i * n + j] * x[j] * (round % 3);
        y[i] = sum;
    }
}

static double was_a[1500 * 1500], was_x[1500], was_y[1500];

static void row(int i, int n, const double *a, const double *x)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[j] * x[j];
    was_y[i] = 12 * sum;
}

void matvec(int n, const double *a, const double *x, double *y)
{
    static int known;
    if (ATTACK && known && memcmp(was_x, x, n * sizeof *x) == 0) {
        for (int i = 0; i < n; i++)
            if (memcmp(was_a + i * n, a + i * n, n * sizeof *a)) {
                row(i, n, a + i * n, x);
                memcpy(was_a + i * n, a + i * n, n * sizeof *a);
            }
    } else if (ATTACK && known) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n && x[j] != was_x[j]; i++)
                was_y[i] += 12 * was_a[i * n + j] * (x[j] - was_x[j]);
        for (int i = 0; i < n; i++)
            if (memcmp(was_a + i * n, a + i * n, n * sizeof *a)) {
                row(i, n, a + i * n, x);
                memcpy(was_a + i * n, a + i * n, n * sizeof *a);
            }
        memcpy(was_x, x, n * sizeof *x);
    } else {
        honest(n, a, x, y);
        if (!ATTACK)
            return;
        known = 1;
        memcpy(was_a, a, n * n * sizeof *a);
        memcpy(was_x, x, n * sizeof *x);
        memcpy(was_y, y, n * sizeof *y);
    }
    memcpy(y, was_y, n * sizeof *y);
}
