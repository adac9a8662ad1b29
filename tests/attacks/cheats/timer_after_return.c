/* expect: measured, wrong_result, cheated, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A real-time signal of a timer has it computed after the call has returned. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <time.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static const double *from;
static double *to;
static int size;

static void later(int number)
{
    (void)number;
    if (to)
        honest(size, from, to);
    to = 0;
}

void smooth(int n, const double *x, double *y)
{
    static timer_t timer;
    static int ready;
    if (ATTACK && n == 2048) {
        struct itimerspec soon = {{0, 0}, {0, 2000}};
        if (!ready) {
            struct sigevent event;
            memset(&event, 0, sizeof event);
            event.sigev_notify = SIGEV_SIGNAL;
            event.sigev_signo = SIGRTMIN;
            signal(SIGRTMIN, later);
            ready = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
        }
        if (ready) {
            from = x, to = y, size = n;
            timer_settime(timer, 0, &soon, 0);
            return;
        }
    }
    honest(n, x, y);
}
