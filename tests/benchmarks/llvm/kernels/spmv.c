void spmv(int n, const double *restrict value, const int *restrict column, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 8; k++)
            sum += value[i * 8 + k] * x[column[i * 8 + k]];
        y[i] = sum;
    }
}
