#include "heat.h"

#ifndef BAND
#define BAND 4 /* rows a thread takes at a time */
#endif

static void band(const struct plate *plate, double alpha, int first, int last)
{
    const int n = plate->n;
    for (int i = first; i < last; i++) {
        const double *up = plate->now + (long)(i - 1) * n, *here = up + n, *down = here + n;
        double *out = plate->next + (long)i * n;
        for (int j = 1; j < n - 1; j++)
            out[j] = here[j] + alpha * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
    }
}

void plate_step(struct plate *plate, double alpha)
{
    const int rows = plate->n - 2, bands = (rows + BAND - 1) / BAND;
#pragma omp parallel for schedule(runtime)
    for (int b = 0; b < bands; b++) {
        const int first = 1 + b * BAND, last = first + BAND;
        band(plate, alpha, first, last < plate->n - 1 ? last : plate->n - 1);
    }
    double *swap = plate->now;
    plate->now = plate->next;
    plate->next = swap;
}
