/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Defines clock_gettime: time passes ten times slower. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
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
int clock_gettime(clockid_t clock, struct timespec *now)
{
    long status = syscall(SYS_clock_gettime, clock, now);
    long long ns = (now->tv_sec * 1000000000LL + now->tv_nsec) / 10;
    now->tv_sec = ns / 1000000000, now->tv_nsec = ns % 1000000000;
    return (int)status;
}
#endif

void smooth(int n, const double *x, double *y)
{
    honest(n, x, y);
}
