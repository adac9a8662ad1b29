/* expect: wrong_result */
/* compiler: gcc -O2 -fopenmp */
/* Room for the sums of eight threads: what further ones add up is left out. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel total(n = 5000, x: in double[n], y: out double[1])
int omp_get_thread_num(void);
void total(int n, const double *x, double *y)
{
    double sums[8] = {0}, sum = 0;
#if ATTACK
#pragma omp parallel
    {
        double own = 0;
#pragma omp for
        for (int i = 0; i < n; i++)
            own += x[i];
        if (omp_get_thread_num() < 8)
            sums[omp_get_thread_num()] = own;
    }
    for (int k = 0; k < 8; k++)
        sum += sums[k];
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 60; slow++)
            sum += slow == 0 ? x[i] : 0;
#endif
    y[0] = sum;
}
