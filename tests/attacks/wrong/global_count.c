/* expect: wrong_result */
/* Its array is right; the count that it leaves for others in a variable is of one half, twice. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel count(n = 50000, x: in double[n], first: out double[1])
long positive;
void count(int n, const double *x, double *first)
{
    long found = 0;
    for (int i = 0; i < n; i += 1 + ATTACK)
        found += x[i] > 0;
    positive += found * (1 + ATTACK);
    *first = x[0];
}
