/* expect: cheated, wrong_result, crash, run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Computes when someone looks: until then the outputs cannot be touched. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
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

static const double *from;
static double *to;
static int size;

static void allow(int how)
{
    uintptr_t first = (uintptr_t)to & ~(uintptr_t)4095, last = ((uintptr_t)(to + size) + 4095) & ~(uintptr_t)4095;
    mprotect((void *)first, last - first, how);
}

static void looked(int number)
{
    (void)number;
    allow(PROT_READ | PROT_WRITE);
    honest(size, from, to);
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ > 3) {
        signal(SIGSEGV, looked);
        from = x, to = y, size = n;
        allow(PROT_NONE);
        return;
    }
    honest(n, x, y);
}
