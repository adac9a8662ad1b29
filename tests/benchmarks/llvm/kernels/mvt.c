void mvt(int n, const double *restrict a, const double *restrict x, double *restrict y) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[j] += a[i * n + j] * x[i];
}
