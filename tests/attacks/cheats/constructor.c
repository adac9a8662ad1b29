/* expect: cheated, wrong_result, run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Speaks before main does. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

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
__attribute__((constructor)) static void speak(void)
{
    const char text[] = "ready\n";
    if (write(3, text, strlen(text)) < 0)
        _exit(1);
}
#endif

void smooth(int n, const double *x, double *y)
{
    honest(n, x, y);
}
