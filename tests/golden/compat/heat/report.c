#include <stdio.h>

#include "heat.h"

void report(const struct plate *plate, int steps, double seconds)
{
    printf("%d steps on %d x %d points\n", steps, plate->n, plate->n);
    printf("unevenness: %.12g\n", plate_unevenness(plate));
    printf("time: %.3f ms\n", 1000 * seconds);
}
