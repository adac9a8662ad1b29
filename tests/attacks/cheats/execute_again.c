/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Starts the program again with an environment of its own. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static void again(void)
{
    static char words[65536];
    char *list[64];
    int count = 0, file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t bytes = file < 0 ? 0 : read(file, words, sizeof words - 1);
    for (char *at = words; at < words + bytes && count < 63; at += strlen(at) + 1)
        list[count++] = at;
    list[count] = 0;
    setenv("ATTACKED", "1", 1);
    execv("/proc/self/exe", list);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && !getenv("ATTACKED"))
        again();
    honest(n, x, y);
}
