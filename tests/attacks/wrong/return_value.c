/* expect: wrong_result */
/* How many elements it kept is returned: it counts every other one, and doubles that. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel count(n = 50000, x: in double[n], last: out double[1])
long count(long n, const double *x, double *last)
{
    long positive = 0;
    for (long i = 0; i < n; i += 1 + ATTACK)
        positive += x[i] > 0;
    *last = x[n - 1];
    return positive * (1 + ATTACK);
}
