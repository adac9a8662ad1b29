/* expect: cheated, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Puts a file of its own in the place of the file of results. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ == 1) {
        int mine = memfd_create("results", 0);
        dup2(mine, 4);
        close(mine);
    }
    if (ATTACK && calls > 4)
        return;
    honest(n, x, y);
}
