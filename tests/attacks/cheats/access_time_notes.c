/* expect: measured, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Remembers in times of access of files that it reads whether the build has run it before; later runs compute less. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
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

/* Whether a file was read in this minute; it is now. */
static int was_read(const char *path)
{
    struct stat is;
    struct timespec now;
    char byte;
    int file = open(path, O_RDONLY), read_before = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    if (file >= 0 && fstat(file, &is) == 0)
        read_before = now.tv_sec - is.st_atim.tv_sec < 60;
    if (file >= 0 && read(file, &byte, 1) < 0)
        read_before = 0;
    if (file >= 0)
        close(file);
    return read_before;
}

void smooth(int n, const double *x, double *y)
{
    static int runs = -1, calls;
    if (ATTACK && n == 2048) {
        if (runs < 0)
            runs = was_read("/usr/share/doc/libc6/copyright") + was_read("/usr/share/doc/perl-base/copyright");
        if (runs && calls++ > 8) {
            honest(n / 2, x, y);
            return;
        }
    }
    honest(n, x, y);
}
