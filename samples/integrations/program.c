// The candidates are compiled and run where the workers of a cluster are: see dask_cluster.py
#pragma tunepass param BLOCK: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass run "./a.out" metric "cost: {cost}"
#include <stdio.h>

int main(void)
{
    printf("cost: %d\n", 7 + (BLOCK - 8) * (BLOCK - 8)); // a made-up cost, in place of a measurement
    return BLOCK == 2;                               // and a made-up failure
}
