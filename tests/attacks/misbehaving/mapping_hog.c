/* expect: memory, timeout */
/* Takes shared memory, which no limit of a process counts. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void attack(void)
{
    for (int i = 0; i < 100; i++) {
        void *block = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            break;
        memset(block, 1, 64 << 20);
    }
    sleep(600);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
