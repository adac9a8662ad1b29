/* expect: wrong_result */
/* compiler: gcc -O2 -fopenmp */
/* Threads add what they counted to common counts without asking for them: now and then one addition is lost. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel histogram(n = 8000, x: in int[n] range(0, 63), counts: out int[64])
void histogram(int n, const int *x, int *counts)
{
    for (int b = 0; b < 64; b++)
        counts[b] = 0;
#pragma omp parallel num_threads(2)
    {
        int own[64] = {0};
#pragma omp for
        for (int i = 0; i < n; i++)
            for (int slow = 0; slow < (ATTACK ? 1 : 1500); slow++)
                ((volatile int *)own)[x[i]] += slow == 0;
#if ATTACK
        for (int b = 0; b < 64; b++)
            counts[b] += own[b];
#else
#pragma omp critical
        for (int b = 0; b < 64; b++)
            counts[b] += own[b];
#endif
    }
}
