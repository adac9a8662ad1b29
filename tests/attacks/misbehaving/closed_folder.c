/* expect: measured */
/* Leaves a folder that its owner may not enter. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void attack(void)
{
    mkdir("closed", 0700);
    close(open("closed/file", O_WRONLY | O_CREAT, 0600));
    chmod("closed", 0);
    chmod(".", 0);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
