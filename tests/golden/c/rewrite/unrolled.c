void f(int n, const double *A, const double *B, double *C)
{
    /* Loops, from the outside in: i (j (k)); i unrolled and jammed by 2; k unrolled by 2. */
    {
        const int i_split = 0 < n ? n / 2 * 2 : 0;
        for (int i = 0; i < i_split; i += 2) {
            for (int j = 1; j < n; j += 2) {
                const int k_split = 0 < n ? n / 2 * 2 : 0;
                for (int k = 0; k < k_split; k += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + (k + 1)] * B[(k + 1)*n + j];
                }
                for (int k = k_split; k < n; k++) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
                }
            }
        }
        for (int i = i_split; i < n; i++) {
            for (int j = 1; j < n; j += 2) {
                const int k_split = 0 < n ? n / 2 * 2 : 0;
                for (int k = 0; k < k_split; k += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
                }
                for (int k = k_split; k < n; k++) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                }
            }
        }
    } // done
}
