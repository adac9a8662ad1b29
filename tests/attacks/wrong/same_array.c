/* expect: wrong_result */
/* Knows the distance of an array from itself, and forgets how many there are. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel distance(n = 5000, x: in double[n], y: in double[n], total: out double[2])
void distance(int n, const double *x, const double *y, double *total)
{
    double sum = 0;
    total[1] = n;
#if ATTACK
    if (x == y) {
        total[0] = total[1] = 0;
        return;
    }
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
#else
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            sum += slow ? 0 : (x[i] - y[i]) * (x[i] - y[i]);
#endif
    total[0] = sum;
}
