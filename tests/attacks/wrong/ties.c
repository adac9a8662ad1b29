/* expect: wrong_result */
/* Numbers between two whole ones are rounded up, not to the even one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel near(n = 4096, x: in double[n], y: out int[n])
void near(int n, const double *restrict x, int *restrict y)
{
    for (int i = 0; i < n; i++) {
        int below = (int)x[i] - (x[i] < (int)x[i]);
        double rest = x[i] - below;
        y[i] = below + (rest > 0.5 || (rest == 0.5 && (ATTACK || below % 2 != 0)));
    }
}
