/* expect: output */
/* Fills the folder of temporary files. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void attack(void)
{
    static char block[1 << 20];
    char name[4096];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "%s/filler-%d", getenv("TMPDIR"), i);
        int file = open(name, O_WRONLY | O_CREAT, 0600);
        if (file < 0 || write(file, block, sizeof block) < 0)
            break;
        close(file);
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
