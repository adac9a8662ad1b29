/* expect: cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Reports two hundred megabytes. */
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

static char lines[4096];

void smooth(int n, const double *x, double *y)
{
    if (ATTACK) {
        const char line[] = "sample 1.000000000e-08 0 1.000000e-05 0.000e+00\n";
        while (strlen(lines) + sizeof line < sizeof lines)
            strcat(lines, line);
        for (long sent = 0; sent < 200000000; sent += strlen(lines))
            if (write(3, lines, strlen(lines)) < 0)
                return;
    }
    honest(n, x, y);
}
