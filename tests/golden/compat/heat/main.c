/* heat [POINTS [STEPS]] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 400, steps = argc > 2 ? atoi(argv[2]) : 200;
    struct plate plate;
    if (n < 4 || n > 20000 || steps < 1) {
        fprintf(stderr, "usage: heat [POINTS [STEPS]]\n");
        return 2;
    }
    if (plate_make(&plate, n) != 0) {
        fprintf(stderr, "heat: no memory for %d x %d points\n", n, n);
        return 1;
    }
    const double start = omp_get_wtime();
    for (int i = 0; i < steps; i++)
        plate_step(&plate, 0.2);
    report(&plate, steps, omp_get_wtime() - start);
    plate_free(&plate);
    return 0;
}
