/* expect: crash, wrong_result, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A timer cuts each call short, where timers are not refused. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static sigjmp_buf out;

static void ring(int number)
{
    siglongjmp(out, number);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        struct itimerval soon = {{0, 0}, {0, 20}};
        signal(SIGALRM, ring);
        if (sigsetjmp(out, 1))
            return;
        setitimer(ITIMER_REAL, &soon, 0);
    }
    honest(n, x, y);
}
