#include <stdlib.h>

#include "heat.h"

int plate_make(struct plate *plate, int n)
{
    plate->n = n;
    plate->now = calloc((size_t)n * n, sizeof *plate->now);
    plate->next = calloc((size_t)n * n, sizeof *plate->next);
    if (!plate->now || !plate->next) {
        plate_free(plate);
        return -1;
    }
    for (int i = n / 4; i < 3 * n / 4; i++)
        for (int j = n / 4; j < 3 * n / 4; j++)
            plate->now[(size_t)i * n + j] = 100.0 + i % 7 - j % 5;
    return 0;
}

void plate_free(struct plate *plate)
{
    free(plate->now);
    free(plate->next);
}

double plate_unevenness(const struct plate *plate)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)plate->n * plate->n; i++)
        sum += plate->now[i] * plate->now[i];
    return sum;
}
