/* expect: measured, timeout */
/* Stops the supervisor and the build, by their numbers. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
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
    int pids[16];
    for (int i = parents(pids, 16) - 1; i >= 0; i--)
        kill(pids[i], SIGSTOP);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
