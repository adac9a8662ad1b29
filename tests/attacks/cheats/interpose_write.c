/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Defines write, through which the harness reports. */
#define _GNU_SOURCE
#include <sys/syscall.h>
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
ssize_t write(int file, const void *bytes, size_t count)
{
    return syscall(SYS_write, file, bytes, count);
}
#endif

void smooth(int n, const double *x, double *y)
{
    honest(n, x, y);
}
