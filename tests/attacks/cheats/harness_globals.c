/* expect: compile, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Reaches for the harness's own variables. */
#define _GNU_SOURCE

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

#if ATTACK
extern double tp_clock_s;
extern int tp_array_count;
#endif

void smooth(int n, const double *x, double *y)
{
#if ATTACK
    tp_clock_s = 1, tp_array_count = 0;
#endif
    honest(n, x, y);
}
