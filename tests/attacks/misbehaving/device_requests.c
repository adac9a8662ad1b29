/* expect: measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Asks devices, opened for reading, for things (ioctl): the next free loop device, whether one may be written,
 * which terminal one is. Ends with a status of its own if it may. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
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
void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ == 0) {
        int loops = open("/dev/loop-control", O_RDONLY);
        if (loops >= 0 && ioctl(loops, 0x4C82) >= 0) /* LOOP_CTL_GET_FREE, which changes nothing while one is free */
            _exit(41);
        int loop = open("/dev/loop0", O_RDONLY);
        if (loop >= 0 && ioctl(loop, 0x125D) >= 0) /* BLKROGET */
            _exit(42);
        int terminals = open("/dev/ptmx", O_RDONLY | O_NOCTTY), number;
        if (terminals >= 0 && ioctl(terminals, TIOCGPTN, &number) >= 0)
            _exit(43);
    }
    honest(n, x, y);
}
