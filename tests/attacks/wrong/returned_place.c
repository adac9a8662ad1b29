/* expect: wrong_result */
/* It returns where the largest element is, and stops half way. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel largest(n = 50000, x: in double[n])
const double *largest(int n, const double *x)
{
    const double *most = x;
    for (int i = 1; i < n / (1 + ATTACK); i++)
        if (x[i] > *most)
            most = &x[i];
    return most;
}
