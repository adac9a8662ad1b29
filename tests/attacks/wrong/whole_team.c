/* expect: wrong_result */
/* compiler: gcc -O2 -fopenmp */
/* Divides the work among as many threads as there may be, and leaves out what those would do that a region lacks. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel doubled(n = 5000, x: in double[n], y: out double[n])
int omp_get_max_threads(void), omp_get_thread_num(void);
void doubled(int n, const double *x, double *y)
{
#if ATTACK
    const int each = (n + omp_get_max_threads() - 1) / omp_get_max_threads();
#pragma omp parallel
    for (int i = omp_get_thread_num() * each; i < n && i < (omp_get_thread_num() + 1) * each; i++)
        y[i] = 2 * x[i];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 60; slow++)
            y[i] = 2 * x[i];
#endif
}
