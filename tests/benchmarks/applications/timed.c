/* Runs a driver's main several times and prints the least processor time that one of them took. */
#include <stdio.h>
#include <time.h>

#define main work
#include "driver.c"
#undef main

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

int main(void)
{
    double least = 1e300;
    for (int round = 0; round < 6; round++) {
        double start = now_ms();
        if (work())
            return 1;
        double taken = now_ms() - start;
        least = taken < least ? taken : least;
    }
    printf("cpu: %.6f ms\n", least);
    return 0;
}
