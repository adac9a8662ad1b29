/* expect: measured */
/* Leaves System V and POSIX semaphores. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static void attack(void)
{
    char name[64];
    snprintf(name, sizeof name, "/tunepass-attack-%d", ATTACK_RUN);
    sem_open(name, O_CREAT, 0600, 1);
    semget(IPC_PRIVATE, 4, IPC_CREAT | 0600);
    semget(0x74720000 + ATTACK_RUN, 4, IPC_CREAT | 0600);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
