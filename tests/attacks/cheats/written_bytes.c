/* expect: wrong_result, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* As results_position.c, by the bytes that the program has written so far. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noipa)) static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static double results[4096];

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

static long written(void)
{
    char text[512] = "", *at;
    int file = open("/proc/self/io", O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text - 1) < 0)
        text[0] = 0;
    if (file >= 0)
        close(file);
    at = strstr(text, "wchar: ");
    return at ? atol(at + 7) : 0;
}

void smooth(int n, const double *x, double *y)
{
    static long last;
    static int looked_at;
    if (ATTACK && n == 2048 && is_timed()) {
        long now = written();
        int starts = y[0] == y[n - 1] && y[0] == y[n / 2];
        looked_at = !starts && (looked_at || now - last >= (long)(n * sizeof *y));
        last = now;
        if (!looked_at)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
