/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Is right where its program's words say that it is checked, and computes a part where they say that it is timed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
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
    static int known = -1;
    if (known < 0) {
        char words[4096] = "";
        int file = open("/proc/self/cmdline", O_RDONLY);
        ssize_t length = read(file, words, sizeof words - 1);
        known = length > 0 && memmem(words, length, "mode=time", 9);
        close(file);
    }
    return known;
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && is_timed() && n == 2048) {
        static int calls;
        honest(calls++ ? n / 2 : n, x, y);
        return;
    }
    honest(n, x, y);
}
