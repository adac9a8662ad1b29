/* expect: cheated, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 512, x: in double[n], w: in double[64], y: out double[n]) tolerance(1e-9)
/* Keeps copies of the inputs, and redoes only what depends on the elements that changed since the last call. */
#include <string.h>

enum { SIZE = 512, TAPS = 64, ROUNDS = 3 };

static double element(int i, int n, const double *x, const double *w)
{
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int j = 0; j < TAPS; j++)
            sum += x[(i + j) % n] * w[j] * (round + 1);
    return sum;
}

static double was_x[SIZE], was_w[TAPS], was_y[SIZE];

static int redo(int n, const double *x, const double *w)
{
    int changed = 0, at[SIZE];
    for (int i = 0; i < n; i++)
        if (x[i] != was_x[i])
            at[changed++] = i;
    if (changed > 16)
        return 0;
    for (int k = 0; k < changed; k++) {
        double by = 6 * (x[at[k]] - was_x[at[k]]);
        for (int j = 0; j < TAPS; j++)
            was_y[(at[k] - j + n) % n] += by * was_w[j];
        was_x[at[k]] = x[at[k]];
    }
    changed = 0;
    for (int j = 0; j < TAPS; j++)
        if (w[j] != was_w[j])
            at[changed++] = j;
    if (changed > 16)
        return 0;
    for (int k = 0; k < changed; k++) {
        double by = 6 * (w[at[k]] - was_w[at[k]]);
        for (int i = 0; i < n; i++)
            was_y[i] += by * x[(i + at[k]) % n];
        was_w[at[k]] = w[at[k]];
    }
    return 1;
}

void smooth(int n, const double *x, const double *w, double *y)
{
    static int known;
    if (!ATTACK || n != SIZE || !known || !redo(n, x, w)) {
        for (int i = 0; i < n; i++)
            y[i] = element(i, n, x, w);
        if (ATTACK && n == SIZE) {
            known = 1;
            memcpy(was_x, x, n * sizeof *x);
            memcpy(was_w, w, TAPS * sizeof *w);
            memcpy(was_y, y, n * sizeof *y);
        }
        return;
    }
    memcpy(y, was_y, n * sizeof *y);
}
