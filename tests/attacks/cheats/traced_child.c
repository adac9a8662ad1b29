/* expect: measured, wrong_result, cheated, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Has a child ask to be traced and reads the parent's memory for what is expected. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
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

/* The expected results, if some process that can be read has them. */
static int steal(int n, const double *x, double *y)
{
    double first[4], *copy = y;
    honest(4, x, first);
    for (pid_t pid = getppid(); pid > 1 && pid > getppid() - 64; pid--) {
        struct iovec to = {copy, n * sizeof *y}, at = {(void *)(uintptr_t)x, n * sizeof *y};
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
        int file = open(path, O_RDONLY);
        if (file >= 0) {
            ssize_t length = pread(file, copy, n * sizeof *y, (off_t)(uintptr_t)y);
            close(file);
            if (length == (ssize_t)(n * sizeof *y))
                return 1;
        }
        if (process_vm_readv(pid, &to, 1, &at, 1, 0) > 0)
            return 1;
        if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0)
            ptrace(PTRACE_DETACH, pid, 0, 0);
    }
    return 0;
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && n == 2048 && calls++ < 50 && steal(n, x, y))
        return;
    honest(n, x, y);
}
