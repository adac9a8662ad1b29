/* expect: cheated, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Forbids that its memory is read, before main begins. Root reads it all the same, and finds what is right. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
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

#if ATTACK
__attribute__((constructor)) static void hide(void)
{
    prctl(PR_SET_DUMPABLE, 0);
}
#else /* a source without one would have the attack refused at once */
__attribute__((constructor)) static void hide(void) { __asm__ volatile(""); }
#endif

void smooth(int n, const double *x, double *y)
{
    honest(n, x, y);
}
