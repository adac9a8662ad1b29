/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Another process goes on in its place. */
#define _GNU_SOURCE
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

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ == 2) {
        int status;
        pid_t child = fork();
        if (child > 0) {
            waitpid(child, &status, 0);
            _exit(status != 0);
        }
    }
    honest(n, x, y);
}
