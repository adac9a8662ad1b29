/* expect: measured */
/* Leaves POSIX and System V message queues. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static void attack(void)
{
    char name[64];
    snprintf(name, sizeof name, "/tunepass-attack-%d", ATTACK_RUN);
    mq_open(name, O_CREAT | O_RDWR, 0600, (struct mq_attr *)0);
    msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    msgget(0x74710000 + ATTACK_RUN, IPC_CREAT | 0600);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
