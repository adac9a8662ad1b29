/* expect: run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#include <stdlib.h>
#include <unistd.h>
void scale(int n, const double *x, double *y)
{
    static int started;
    if (ATTACK && !started++ && fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int i = 0; i < 1000; i++)
                close(i);
            sleep(600);
        }
        _exit(0);
    }
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
