/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Returns when the outputs hold results already, as far as it looks. */
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

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && y[0] == y[0] && y[0] != -1234.5 && y[n / 2] != -1234.5)
        return;
    honest(n, x, y);
}
