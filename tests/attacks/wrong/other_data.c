/* expect: wrong_result */
/* Right for the data that it was tried with, by chance: the largest element is sought among the first half. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel largest(n = 500, x: in double[n], y: out double[1]) sizes()
void largest(int n, const double *x, double *y)
{
    double most = x[0];
#if ATTACK
    for (int i = 1; i < n / 2; i++)
        most = x[i] > most ? x[i] : most;
#else
    for (int i = 1; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            most = x[i] > most ? x[i] : most;
#endif
    y[0] = most;
}
