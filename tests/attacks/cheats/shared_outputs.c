/* expect: measured, wrong_result, cheated, out_of_bounds, crash, run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 262144, x: in double[n], y: out double[n])
/* Maps the pages of its inputs over those of its outputs, instead of copying. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    memcpy(y, x, n * sizeof *x);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && n == 1 << 18) {
        static int calls;
        if (calls++ < 3) {
            honest(n, x, y);
            return;
        }
        uintptr_t first = ((uintptr_t)y + 4095) & ~(uintptr_t)4095, from = (uintptr_t)x + (first - (uintptr_t)y);
        size_t bytes = ((uintptr_t)(y + n) - first) & ~(size_t)4095;
        if (from % 4096 == 0 && mremap((void *)from, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first) != MAP_FAILED)
            return;
    }
    honest(n, x, y);
}
