/* A process of effects of single columns and of pairs of them: its covariance, its likelihood with the gradient, and draws of it.
 *
 * A row is f columns in [-1, 1], transposed to zt (f, stride) with 0 behind; stride is a multiple of LANES.
 *
 *     s_ij = sum_c w_c z_ic z_jc      m_ij = sum_c v_c z_ic z_jc      k_ij = s_ij + m_ij^2 / 2 + constant
 *
 * theta = log w (f), log v (f), log constant, log noise. The order of additions is stated, so that all clones agree. */
#include "tunepass_native.h"

#include <math.h>
#include <string.h>

#define LANES 8

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* u's upper triangle = k + (noise + jitter) I, m (n, stride) likewise; w and v (f). */
TP_CLONES void tp_pairs_covariance(const double *zt, int n, int stride, int f, const double *w, const double *v, double constant,
                                   double diagonal, double *u, double *m) {
    for (int i = 0; i < n; i++)
        for (int j = i / LANES * LANES; j < n; j += LANES) {
            lanes single = {0}, joint = {0};
            for (int c = 0; c < f; c++) {
                double z = zt[(size_t)c * stride + i];
                const lanes *other = (const lanes *)(zt + (size_t)c * stride + j);
                single += (w[c] * z) * *other, joint += (v[c] * z) * *other;
            }
            *(lanes *)(m + (size_t)i * stride + j) = joint;
            *(lanes *)(u + (size_t)i * stride + j) = single + 0.5 * joint * joint + constant;
        }
    for (int i = 0; i < n; i++) u[(size_t)i * stride + i] += diagonal;
}

/* sum_j a_j x_j and sum_j b_j x_j over j in [from, n), LANES sums side by side; a and b are 0 outside of what counts. */
static inline __attribute__((always_inline)) void two_sums(const double *a, const double *b, const double *x, int from, int n, double *out) {
    lanes first = {0}, second = {0};
    for (int j = from; j < n; j += LANES) {
        first += *(const lanes *)(a + j) * *(const lanes *)(x + j);
        second += *(const lanes *)(b + j) * *(const lanes *)(x + j);
    }
    out[0] = out[1] = 0;
    for (int l = 0; l < LANES; l++) out[0] += first[l], out[1] += second[l];
}

/* Log marginal likelihood of y (n) and its gradient (2 f + 2); scratch holds 4 n stride + 3 stride + 2 f. -infinity when K is not
 * positive definite. */
TP_CLONES double tp_pairs_likelihood(const double *zt, int n, int stride, int f, const double *y, const double *theta, double jitter,
                                     double *restrict gradient, double *restrict scratch) {
    size_t size = (size_t)n * (size_t)stride;
    double *u = scratch, *m = u + size, *inverse = m + size, *work = inverse + size, *alpha = work + size;
    double *a = alpha + stride, *b = a + stride, *w = b + stride, *v = w + f;
    double constant = exp(theta[2 * f]), noise = exp(theta[2 * f + 1]), value = 0, trace = 0, all = 0;
    for (int c = 0; c < f; c++) w[c] = exp(theta[c]), v[c] = exp(theta[f + c]);
    tp_pairs_covariance(zt, n, stride, f, w, v, constant, noise + jitter, u, m);
    if (tp_gp_cholesky(u, stride, 0, n)) return -INFINITY;
    memcpy(alpha, y, sizeof *alpha * (size_t)n);
    tp_gp_solve(u, stride, n, alpha);
    tp_gp_inverse(u, stride, n, inverse, work);
    memset(gradient, 0, sizeof *gradient * (size_t)(2 * f + 2));
    memset(a, 0, sizeof *a * 2 * (size_t)stride);
    for (int i = 0; i < n; i++) { /* a_j = (alpha alpha^T - K^-1)_ij for j >= i, twice of j > i, else 0 */
        const double *row = inverse + (size_t)i * stride;
        double own = alpha[i] * alpha[i] - row[i];
        value -= 0.5 * y[i] * alpha[i] + log(u[(size_t)i * stride + i]) + 0.9189385332046727;
        trace += own;
        for (int j = i + 1; j < n; j++) a[j] = 2 * (alpha[i] * alpha[j] - row[j]);
        a[i] = own;
        for (int j = i; j < n; j++) all += a[j], b[j] = a[j] * m[(size_t)i * stride + j];
        for (int c = 0; c < f; c++) {
            double sums[2], z = zt[(size_t)c * stride + i];
            two_sums(a, b, zt + (size_t)c * stride, i / LANES * LANES, n, sums);
            gradient[c] += 0.5 * w[c] * z * sums[0], gradient[f + c] += 0.5 * v[c] * z * sums[1];
        }
        a[i] = b[i] = 0;
    }
    gradient[2 * f] = 0.5 * constant * all;
    gradient[2 * f + 1] = 0.5 * noise * trace;
    return value;
}

/* value (n) of rows z (n, f): sum_c single[c] z_c + sum_ab joint[a][b] z_columns[a] z_columns[b] over a <= b < k; joint (k, k). */
TP_CLONES void tp_pairs_value(const double *z, int n, int f, const double *single, const int32_t *columns, int k, const double *joint,
                              double *value) {
    for (int i = 0; i < n; i++) {
        const double *row = z + (size_t)i * f;
        double total = 0;
        for (int c = 0; c < f; c++) total += single[c] * row[c];
        for (int a = 0; a < k; a++) {
            double sum = 0;
            for (int b = a; b < k; b++) sum += joint[(size_t)a * k + b] * row[columns[b]];
            total += row[columns[a]] * sum;
        }
        value[i] = total;
    }
}
