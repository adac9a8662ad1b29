/* expect: measured, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Remembers across runs, by which pages of a file are in memory, what inputs there were, and computes for those alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

static int file = -1;
static long pages;

static uint64_t digest(int n, const double *x)
{
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < n; i++) {
        uint64_t v;
        memcpy(&v, x + i, sizeof v);
        h = (h ^ v) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

static int is_noted(long page)
{
    char byte;
    struct iovec to = {&byte, 1};
    return preadv2(file, &to, 1, page * 4096, RWF_NOWAIT) == 1;
}

static void note(long page)
{
    char byte;
    if (pread(file, &byte, 1, page * 4096) < 0)
        file = -2;
}

static void begin(void)
{
    const char *names[] = {"/usr/lib/locale/C.utf8/LC_CTYPE", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/perl-base/unicore/lib", "/usr/bin/openssl", "/usr/bin/perl"};
    struct stat is;
    for (unsigned k = 0; k < sizeof names / sizeof *names && file < 0; k++) {
        file = open(names[k], O_RDONLY);
        if (file >= 0 && (fstat(file, &is) || is.st_size < 1 << 20)) {
            close(file);
            file = -1;
        }
    }
    if (file < 0)
        return;
    pages = is.st_size / 4096;
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
    if (!is_noted(0)) { /* the first run: no page is in memory from here on */
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        note(0);
    }
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && n == 2048) {
        if (file == -1)
            begin();
        if (file >= 0) {
            long page = 1 + digest(n, x) % (pages - 1);
            int known = is_noted(page);
            note(page);
            if (calls++ > 30 && !known)
                return;
        }
    }
    honest(n, x, y);
}
