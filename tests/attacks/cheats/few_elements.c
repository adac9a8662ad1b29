/* expect: wrong_result, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes every element but a few. */
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

static int is_timed(void)
{
    char words[4096] = "";
    static int known = -1;
    if (known < 0) {
        int file = open("/proc/self/cmdline", O_RDONLY);
        ssize_t length = read(file, words, sizeof words - 1);
        known = length > 0 && memmem(words, length, "mode=time", 9);
        close(file);
    }
    return known;
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && n == 2048 && is_timed())
        honest(n / 2, x, y);
    else
        honest(n, x, y);
}
