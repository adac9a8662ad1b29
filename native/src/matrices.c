/* Products of matrices and inverses of triangular ones, for sums that must not depend on how many threads a BLAS starts.
 * Each element is summed in the order of its terms, so that all clones of a function give the same bits. */
#include "tunepass_native.h"

#include <stdlib.h>
#include <string.h>

#define LANES 8
#define SIDE 4 /* rows of a that are multiplied at once: a sum waits for the one before it */

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* `rows` sums (n <= LANES of them are stored) of a's rows (k) times a panel of b (k, LANES). */
static inline __attribute__((always_inline)) void multiply(const double *a, int k, const double *panel, int n, double *c, size_t stride,
                                                           int rows) {
    lanes sum[SIDE] = {{0}};
    for (int t = 0; t < k; t++) {
        const lanes b = *(const lanes *)(panel + (size_t)t * LANES);
        for (int r = 0; r < rows; r++) sum[r] += a[(size_t)r * k + t] * b;
    }
    for (int r = 0; r < rows; r++) memcpy(c + (size_t)r * stride, &sum[r], sizeof *c * (size_t)n);
}

/* c (m, n) = a (m, k) b (k, n). Returns 0, or -1 without memory. */
TP_CLONES int tp_matrix_product(const double *a, int m, int k, const double *b, int n, double *c) {
    double *panel = malloc(sizeof *panel * LANES * (size_t)(k > 0 ? k : 1));
    if (!panel) return -1;
    for (int j = 0; j < n; j += LANES) {
        const int columns = n - j < LANES ? n - j : LANES;
        for (int t = 0; t < k; t++)
            for (int l = 0; l < LANES; l++) panel[(size_t)t * LANES + l] = l < columns ? b[(size_t)t * n + j + l] : 0.0;
        int i = 0;
        for (; i + SIDE <= m; i += SIDE) multiply(a + (size_t)i * k, k, panel, columns, c + (size_t)i * n + j, (size_t)n, SIDE);
        for (; i < m; i++) multiply(a + (size_t)i * k, k, panel, columns, c + (size_t)i * n + j, (size_t)n, 1);
    }
    free(panel);
    return 0;
}

/* inverse (n, n) of the upper triangle of u (n, n), by rows from the last one up. */
TP_CLONES void tp_matrix_triangular_inverse(const double *u, int n, double *restrict inverse) {
    memset(inverse, 0, sizeof *inverse * (size_t)n * (size_t)n);
    for (int i = n - 1; i >= 0; i--) {
        double *restrict row = inverse + (size_t)i * n;
        for (int k = i + 1; k < n; k++) {
            const double factor = u[(size_t)i * n + k], *below = inverse + (size_t)k * n;
            for (int j = k; j < n; j++) row[j] -= factor * below[j];
        }
        row[i] = 1.0;
        for (int j = i; j < n; j++) row[j] /= u[(size_t)i * n + i];
    }
}
