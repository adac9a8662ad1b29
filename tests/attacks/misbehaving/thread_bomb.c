/* expect: run */
/* compiler: gcc -O2 -pthread */
/* More threads than are allowed. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static void *waits(void *nothing)
{
    sleep(600);
    return nothing;
}

static void attack(void)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int i = 0; i < 5000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, waits, 0) != 0)
            break;
    }
    sleep(600);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
