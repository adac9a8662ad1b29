void f(int n, const double *A, const double *B, double *C)
{
    /* Loops, from the outside in: k (i (j)). */
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 1; j < n; j += 2) {
                C[i*n + j] += A[i*n + k] * B[k*n + j];
            }
        }
    } // done
}
