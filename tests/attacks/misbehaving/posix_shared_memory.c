/* expect: measured */
/* Leaves POSIX shared memory, and a folder beside it. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void attack(void)
{
    char name[64];
    snprintf(name, sizeof name, "/tunepass-attack-%d", ATTACK_RUN);
    int memory = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (memory >= 0 && ftruncate(memory, 1 << 20) == 0)
        close(memory);
    snprintf(name, sizeof name, "/dev/shm/tunepass-attack-folder-%d", ATTACK_RUN);
    mkdir(name, 0700);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
