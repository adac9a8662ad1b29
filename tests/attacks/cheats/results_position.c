/* expect: wrong_result, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes until results are written in an order of calls, which a file's position tells; then nobody looks. */
#define _GNU_SOURCE
#include <fcntl.h>
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

void smooth(int n, const double *x, double *y)
{
    static off_t last;
    static int looked_at;
    if (ATTACK && n == 2048 && is_timed()) {
        off_t position = lseek(4, 0, SEEK_CUR);
        int starts = y[0] == y[n - 1] && y[0] == y[n / 2]; /* all of it holds the same: calls are ordered anew */
        looked_at = !starts && (looked_at || position != last);
        last = position;
        if (!looked_at)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
