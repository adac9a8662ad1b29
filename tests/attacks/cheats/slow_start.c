/* expect: measured, wrong_result, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* The first calls are slow, so that an order seems to hold but one. After a pause, as others have their turn, the first
 * orders are honest, and later ones do a third of the work. */
#include <time.h>

static void honest(int from, int to, int n, const double *x, double *y)
{
    for (int i = from; i < to; i++) {
        double sum = 0;
        for (int j = 0; j < 6; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

void smooth(int n, const double *x, double *y)
{
    static double ended;
    static int calls, since, pauses;
    if (ATTACK && n == 2048) {
        double began = now();
        if (began - ended > 2.5e-3)
            since = 0, pauses += calls > 8;
        calls++, since++;
        honest(0, pauses > 1 && since > 4 && since < 400 ? n / 3 : n, n, x, y);
        while (calls <= 4 && now() - began < 2.6e-3)
            ;
        ended = now();
        return;
    }
    honest(0, n, n, x, y);
}
