void f(int n, const double *A, const double *B, double *C)
{
    /* Loops, from the outside in: k_tile (i (k (j))); tiles of 32 k; i unrolled and jammed by 2; i
     * parallel; k unrolled by 2; j vectorized. */
    for (int k_tile = 0; k_tile < n; k_tile += 32) {
        const int i_split = 0 < n ? n / 2 * 2 : 0;
        #pragma omp parallel for
        for (int i = 0; i < i_split; i += 2) {
            const int k_end = n < k_tile + 32 ? n : k_tile + 32;
            const int k_split = k_tile < k_end ? k_tile + (k_end - k_tile) / 2 * 2 : k_tile;
            for (int k = k_tile; k < k_split; k += 2) {
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
                }
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + (k + 1)] * B[(k + 1)*n + j];
                }
            }
            for (int k = k_split; k < k_end; k++) {
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
                }
            }
        }
        for (int i = i_split; i < n; i++) {
            const int k_end = n < k_tile + 32 ? n : k_tile + 32;
            const int k_split = k_tile < k_end ? k_tile + (k_end - k_tile) / 2 * 2 : k_tile;
            for (int k = k_tile; k < k_split; k += 2) {
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                }
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
                }
            }
            for (int k = k_split; k < k_end; k++) {
                #pragma omp simd
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                }
            }
        }
    } // done
}
