void f(int n, const double *A, const double *B, double *C)
{
    /* Loops, from the outside in: k_tile (i (k (j))); tiles of 32 k. */
    for (int k_tile = 0; k_tile < n; k_tile += 32) {
        for (int i = 0; i < n; i++) {
            const int k_end = n < k_tile + 32 ? n : k_tile + 32;
            for (int k = k_tile; k < k_end; k++) {
                for (int j = 1; j < n; j += 2) {
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                }
            }
        }
    } // done
}
