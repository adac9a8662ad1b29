/* expect: measured, crash, timeout */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A handler of traps and a timer from before main: the kernel has its work done when the trap tells that it is looked
 * at, or after the call has returned. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>

static const double *from;
static double *to;
static int size;

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static void later(int number)
{
    (void)number;
    if (to)
        honest(size, from, to);
    to = 0;
}

__attribute__((constructor)) static void prepare(void)
{
    __asm__ volatile(""); /* else the source has no constructor, and the attack is refused at once */
    if (ATTACK) {
        const struct itimerval often = {{0, 1000}, {0, 1000}};
        signal(SIGALRM, later);
        signal(SIGTRAP, later);
        setitimer(ITIMER_REAL, &often, 0);
    }
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && n == 2048) {
        struct sigaction now;
        sigaction(SIGALRM, 0, &now);
        if (now.sa_handler == later) {
            from = x, to = y, size = n;
            return;
        }
    }
    honest(n, x, y);
}
