/* expect: measured */
/* Leaves System V shared memory. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <sys/ipc.h>
#include <sys/shm.h>

static void attack(void)
{
    shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
    shmat(shmget(0x74700000 + ATTACK_RUN, 1 << 20, IPC_CREAT | 0666), 0, 0);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
