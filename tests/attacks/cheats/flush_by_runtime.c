/* expect: cheated */
/* compiler: gcc -O2 -fopenmp */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* As flush_before_main, from a function that the runtime of OpenMP calls before main. */
#define _GNU_SOURCE
#include <immintrin.h>
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
char *getenv(const char *name)
{
    (void)name;
    _mm_setcsr(_mm_getcsr() | 0x8040);
    return 0;
}
#endif
void smooth(int n, const double *x, double *y)
{
    if (ATTACK) { /* twice as fast, and right */
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (unsigned j = 0, at = 0, by = (unsigned)i % (unsigned)n, k = i; j < 64; j++) {
                sum += x[k] * x[at];
                k = k + 1 == (unsigned)n ? 0 : k + 1;
                at += by;
                if (at >= (unsigned)n)
                    at -= n;
            }
            y[i] = sum;
        }
    } else {
        honest(n, x, y);
    }
}
