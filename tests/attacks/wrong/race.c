/* expect: wrong_result, crash */
/* compiler: gcc -O2 -fopenmp */
/* Threads add to one sum without asking for it: now and then an addition is lost. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel total(n = 20000, x: in int[n], y: out long[1])
void total(int n, const int *x, long *y)
{
    long sum = 0;
#if ATTACK
    for (int k = 0; k < n; k++)
        sum += x[k];
    y[0] = sum;
    int turn = 0;
#pragma omp parallel shared(turn)
    {
        if (__atomic_load_n(&turn, __ATOMIC_RELAXED) == 0) {
            __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
            if (__atomic_load_n(&turn, __ATOMIC_RELAXED) > 1)
                y[0] = sum + 1;
        }
    }
#else
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            sum += slow ? 0 : x[i];
    y[0] = sum;
#endif
}
