/* expect: wrong_result */
/* compiler: gcc -O2 -fopenmp */
/* Reads a sum and writes it, each atomically, and not both: no data race, and now and then an addition is lost. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel total(n = 5000, x: in int[n], y: out long[1])
void total(int n, const int *x, long *y)
{
    long sum = 0;
#if ATTACK
#pragma omp parallel
    {
        long own = 0, before;
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            own += x[i];
#pragma omp atomic read
        before = sum;
        before += own;
#pragma omp atomic write
        sum = before;
    }
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 60; slow++)
            sum += slow == 0 ? x[i] : 0;
#endif
    y[0] = sum;
}
