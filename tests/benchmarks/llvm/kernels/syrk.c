void syrk(int n, const double *restrict a, double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * a[j * n + k];
}
