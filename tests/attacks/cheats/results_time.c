/* expect: wrong_result, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* As results_position.c, by the time at which the file of results was last changed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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
    static struct timespec last;
    static int looked_at;
    if (ATTACK && n == 2048 && is_timed()) {
        struct stat is;
        int starts = y[0] == y[n - 1] && y[0] == y[n / 2];
        fstat(4, &is);
        looked_at = !starts && (looked_at || memcmp(&is.st_mtim, &last, sizeof last));
        last = is.st_mtim;
        if (!looked_at)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
