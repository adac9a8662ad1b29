/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Reports samples of its own. */
#define _GNU_SOURCE
#include <string.h>
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
    if (ATTACK) {
        const char line[] = "sample 1.000000000e-08 0 1.000000e-05 0.000e+00\n";
        char lines[20 * sizeof line] = "";
        for (int k = 0; k < 20; k++)
            strcat(lines, line);
        if (write(3, lines, strlen(lines)) < 0)
            return;
    }
    honest(n, x, y);
}
