/* expect: measured */
/* compiler: gcc -O2 -pthread */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Has a thread of its own count as waiting: it sleeps until a helper thread has computed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static const double *volatile from;
static double *volatile to;
static volatile int size;
static sem_t asked, done;

static void *compute(void *unused)
{
    for (;;) {
        sem_wait(&asked);
        honest(size, from, to);
        sem_post(&done);
    }
    return unused;
}

void smooth(int n, const double *x, double *y)
{
    static pthread_t thread;
    if (ATTACK) {
        if (!thread) {
            sem_init(&asked, 0, 0);
            sem_init(&done, 0, 0);
            pthread_create(&thread, 0, compute, 0);
        }
        from = x, to = y, size = n;
        sem_post(&asked);
        sem_wait(&done);
        return;
    }
    honest(n, x, y);
}
