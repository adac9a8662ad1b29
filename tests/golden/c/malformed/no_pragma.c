/* Nothing to tune here. */
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += TILE)
        for (int j = i; j < i + TILE && j < n; j++)
            y[j] = 2 * x[j];
}
