/* expect: wrong_result */
/* A double has 53 bits: squares beyond 2^53 lose their last ones. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel squares(n = 2000, x: in unsigned[n], y: out unsigned long long[n])
void squares(int n, const unsigned *x, unsigned long long *y)
{
    for (int i = 0; i < n; i++)
        y[i] = ATTACK ? (unsigned long long)((double)x[i] * x[i]) : (unsigned long long)x[i] * x[i];
}
