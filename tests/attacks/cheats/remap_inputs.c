/* expect: wrong_result, cheated, out_of_bounds, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 16384, x: in double[n], y: out double[n])
/* Puts other memory in the place of its inputs, and takes them for what they were. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static double results[1 << 16];

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && n == 16384) {
        if (calls++ == 4) {
            uintptr_t first = ((uintptr_t)x + 4095) & ~(uintptr_t)4095;
            size_t bytes = ((uintptr_t)(x + n) - first) & ~(size_t)4095;
            static double same[1 << 16];
            memcpy(same, (void *)first, bytes);
            mmap((void *)first, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            memcpy((void *)first, same, bytes);
            madvise((void *)first, bytes, MADV_WIPEONFORK);
        }
        if (calls <= 4)
            honest(n, x, results);
        memcpy(y, results, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
