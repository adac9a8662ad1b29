/* Gaussian-process kernels on mixed rows, their gradients, and the triangular algebra around them.
 *
 * A row is f features; feature c belongs to parameter group[c] and is numeric (squared difference) or nominal (1 if different).
 * r2 = sum_c weight[c] * d2_c, weight[c] = 1 / lengthscale[group[c]]^2 (BaCO, Eq. 2). Matrices are row-major; `u` is the upper
 * Cholesky factor, K = u^T u, with leading dimension `stride` so that rows can be appended in place.
 * Every loop that the compiler vectorises is elementwise (no reassociated sums, no contraction under -std=c11): all the
 * clones of a function give the same bits, and there are no threads. */
#include "exponential.h"
#include "tunepass_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 32 /* candidates handled together, LANES * SIDE: one block of the solve stays in the first-level cache */
#define LANES 8  /* numbers handled side by side where the compiler does not see that they can be */
#define SIDE 4   /* of those, how many at once: a sum waits for the one before it */

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t marks __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

enum { MATERN52 = 0, MATERN32 = 1, SQUARED_EXPONENTIAL = 2 };

/* k / amplitude for each r2, in place; slope (if wanted) gets d(k / amplitude) / d(r2). */
static inline __attribute__((always_inline)) void kernel_values(int kind, double *restrict r2, double *restrict slope, int n) {
    if (kind == MATERN52)
        for (int i = 0; i < n; i++) {
            double s = sqrt(5.0 * r2[i]), e = exp_negative(-s);
            if (slope) slope[i] = -(5.0 / 6.0) * (1.0 + s) * e;
            r2[i] = (1.0 + s + (5.0 / 3.0) * r2[i]) * e;
        }
    else if (kind == MATERN32)
        for (int i = 0; i < n; i++) {
            double s = sqrt(3.0 * r2[i]), e = exp_negative(-s);
            if (slope) slope[i] = -1.5 * e;
            r2[i] = (1.0 + s) * e;
        }
    else
        for (int i = 0; i < n; i++) {
            double e = exp_negative(-0.5 * r2[i]);
            if (slope) slope[i] = -0.5 * e;
            r2[i] = e;
        }
}

/* out (p, n, m): squared distance of each parameter between the rows of x (n, f) and z (m, f). */
TP_CLONES void tp_gp_distances(const double *x, int n, const double *z, int m, int f, const int32_t *group, const uint8_t *nominal,
                               int p, double *out) {
    memset(out, 0, sizeof *out * (size_t)p * (size_t)n * (size_t)m);
    for (int c = 0; c < f; c++)
        for (int i = 0; i < n; i++) {
            double *restrict row = out + ((size_t)group[c] * n + i) * m, v = x[(size_t)i * f + c];
            const double *restrict zc = z + c;
            if (nominal[c])
                for (int j = 0; j < m; j++) row[j] += v != zc[(size_t)j * f] ? 1.0 : 0.0;
            else
                for (int j = 0; j < m; j++) row[j] += (v - zc[(size_t)j * f]) * (v - zc[(size_t)j * f]);
        }
}

/* How many of `left` LANES to handle at once: sums wait for the one before them, so none is left alone where others are left. */
static inline __attribute__((always_inline)) int together(int left) {
    return left >= 2 * SIDE || left == SIDE ? SIDE : left > SIDE ? (left + 1) / 2 : left;
}

/* sum += w d2 of one feature: (v - x_j)^2, or 1 where they differ. */
static inline __attribute__((always_inline)) void add_distances(lanes *sum, const lanes *w, double v, const double *x, int nominal) {
    const lanes here = v - (lanes){0}, there = *(const lanes *)x;
    if (nominal) {
        marks differ = here != there;
        *sum += (lanes)(differ & (marks)*w);
    } else {
        lanes apart = here - there;
        *sum += *w * (apart * apart);
    }
}

/* r2[j] = sum_c weight[c] d2_c(row i, row j) for LANES * SIDE values of j from `first` on, of rows transposed to xt (f, stride). */
static inline __attribute__((always_inline)) void row_distances(const double *xt, int stride, int f, int i, const double *weight,
                                                                const uint8_t *nominal, double *r2, int first, int side) {
    lanes sum[SIDE] = {{0}};
    for (int c = 0; c < f; c++) {
        const double *xc = xt + (size_t)c * stride;
        const lanes w = weight[c] - (lanes){0};
        for (int s = 0; s < side; s++) add_distances(&sum[s], &w, xc[i], xc + first + s * LANES, nominal[c]);
    }
    for (int s = 0; s < side; s++) *(lanes *)(r2 + first + s * LANES) = sum[s];
}

/* sum_j w_j d2(x_i, x_j) over j in [from, n) for `side` features from c on, LANES sums side by side: the order of additions is
 * stated, so that all clones agree. w is 0 outside of what counts. */
static inline __attribute__((always_inline)) void weighted_distances(const double *w, const double *xt, int stride, int i, int c, int side,
                                                                     const uint8_t *nominal, int from, int n, double *out) {
    lanes sum[SIDE] = {{0}};
    const double *x = xt + (size_t)c * stride;
    for (int j = from; j < n; j += LANES)
        for (int s = 0; s < side; s++)
            add_distances(&sum[s], (const lanes *)(w + j), x[(size_t)s * stride + i], x + (size_t)s * stride + j, nominal[c + s]);
    for (int s = 0; s < side; s++) {
        out[s] = 0;
        for (int l = 0; l < LANES; l++) out[s] += sum[s][l];
    }
}

/* What the candidates of a block share: `value` (f), with the weights of numeric and of nominal features apart (f), 0 of those that
 * differ among the candidates. `list` names the `count` that do; without one, all `count` of them. */
typedef struct { int count, *list; double *value, *numeric, *nominal; } shared;

/* Fills s for candidates transposed to zt (f, BLOCK), in its first `count` columns. */
static void find_shared(const double *zt, int f, int count, const double *weight, const uint8_t *nominal, shared *s) {
    s->count = 0;
    for (int c = 0; c < f; c++) {
        const double *zc = zt + (size_t)c * BLOCK;
        int same = 1;
        for (int b = 1; b < count && same; b++) same = zc[b] == zc[0];
        s->value[c] = zc[0];
        s->numeric[c] = same && !nominal[c] ? weight[c] : 0.0;
        s->nominal[c] = same && nominal[c] ? weight[c] : 0.0;
        if (!same) s->list[s->count++] = c;
    }
}

/* The part of r2 between row x (f) and the candidates that is the same for all of them. */
static inline __attribute__((always_inline)) double shared_distance(const double *x, int f, const shared *s) {
    lanes sum = {0};
    double total = 0;
    int c = 0;
    for (; c + LANES <= f; c += LANES) {
        lanes apart = *(const lanes *)(x + c) - *(const lanes *)(s->value + c);
        marks differ = apart != 0.0;
        sum += *(const lanes *)(s->numeric + c) * (apart * apart) + (lanes)(differ & *(const marks *)(s->nominal + c));
    }
    for (int l = 0; l < LANES; l++) total += sum[l];
    for (; c < f; c++) {
        double apart = x[c] - s->value[c];
        total += s->numeric[c] * (apart * apart) + s->nominal[c] * (double)(apart != 0.0);
    }
    return total;
}

/* Rows of k(x, z) for one block of candidates: k (n, BLOCK), times the amplitude. */
static inline __attribute__((always_inline)) void cross_block(const double *x, int n, const double *zt, int f, const double *weight,
                                                              const uint8_t *nominal, const shared *own, int kind, double amplitude,
                                                              double *restrict k) {
    for (int i = 0; i < n; i++) {
        const double *xi = x + (size_t)i * f;
        double *row = k + (size_t)i * BLOCK, base = own->count < f ? shared_distance(xi, f, own) : 0.0;
        lanes sum[SIDE];
        for (int s = 0; s < SIDE; s++) sum[s] = base - (lanes){0};
        for (int a = 0; a < own->count; a++) {
            int c = own->list ? own->list[a] : a;
            const lanes w = weight[c] - (lanes){0};
            for (int s = 0; s < SIDE; s++) add_distances(&sum[s], &w, xi[c], zt + (size_t)c * BLOCK + s * LANES, nominal[c]);
        }
        memcpy(row, sum, sizeof sum);
        kernel_values(kind, row, NULL, BLOCK);
        for (int b = 0; b < BLOCK; b++) row[b] *= amplitude;
    }
}

/* out (n, stride): amplitude * k(x, z) in its columns [first, first + m); `out` points at column 0. Returns 0, or -1 without memory. */
TP_CLONES int tp_gp_cross(const double *x, int n, const double *z, int m, int f, const double *weight, const uint8_t *nominal, int kind,
                          double amplitude, double *out, int stride, int first) {
    double *zt = calloc((size_t)f * BLOCK, sizeof *zt), *k = malloc(sizeof *k * (size_t)n * BLOCK);
    if (!zt || !k) return free(zt), free(k), -1;
    for (int at = 0; at < m; at += BLOCK) {
        int count = m - at < BLOCK ? m - at : BLOCK;
        for (int b = 0; b < count; b++)
            for (int c = 0; c < f; c++) zt[(size_t)c * BLOCK + b] = z[(size_t)(at + b) * f + c];
        cross_block(x, n, zt, f, weight, nominal, &(shared){.count = f}, kind, amplitude, k);
        for (int i = 0; i < n; i++) memcpy(out + (size_t)i * stride + first + at, k + (size_t)i * BLOCK, sizeof *k * (size_t)count);
    }
    return free(zt), free(k), 0;
}

/* Posterior mean and latent variance (unless NULL) at the rows of z (m, f), given alpha = K^-1 y and the factor u. Returns 0, or -1
 * without memory. */
TP_CLONES int tp_gp_posterior(const double *x, int n, const double *z, int m, int f, const double *weight, const uint8_t *nominal,
                              int kind, double amplitude, const double *u, int stride, const double *alpha, double *mean,
                              double *variance) {
    double *zt = calloc((size_t)f * BLOCK, sizeof *zt), *k = malloc(sizeof *k * (size_t)n * BLOCK);
    double *room = malloc(sizeof *room * 3 * (size_t)f);
    shared own = {0, malloc(sizeof *own.list * (size_t)f), room, room + f, room + 2 * (size_t)f};
    if (!zt || !k || !room || !own.list) return free(zt), free(k), free(room), free(own.list), -1;
    for (int first = 0; first < m; first += BLOCK) {
        int count = m - first < BLOCK ? m - first : BLOCK;
        for (int b = 0; b < count; b++)
            for (int c = 0; c < f; c++) zt[(size_t)c * BLOCK + b] = z[(size_t)(first + b) * f + c];
        find_shared(zt, f, count, weight, nominal, &own);
        cross_block(x, n, zt, f, weight, nominal, &own, kind, amplitude, k);
        double mu[BLOCK] = {0}, explained[BLOCK] = {0};
        for (int i = 0; i < n; i++) {
            double *restrict row = k + (size_t)i * BLOCK, acc[BLOCK];
            for (int b = 0; b < BLOCK; b++) mu[b] += alpha[i] * row[b], acc[b] = row[b];
            if (!variance) continue;
            for (int j = 0; j < i; j++) {
                const double *restrict v = k + (size_t)j * BLOCK;
                double l = u[(size_t)j * stride + i];
                for (int b = 0; b < BLOCK; b++) acc[b] -= l * v[b];
            }
            double d = u[(size_t)i * stride + i];
            for (int b = 0; b < BLOCK; b++) row[b] = acc[b] / d, explained[b] += row[b] * row[b];
        }
        for (int b = 0; b < count; b++) {
            mean[first + b] = mu[b];
            if (variance) variance[first + b] = amplitude - explained[b] > 0 ? amplitude - explained[b] : 0.0;
        }
    }
    return free(zt), free(k), free(room), free(own.list), 0;
}

/* Mean and variance (unless NULL) at the rows of z of the equal mixture of `draws` processes on the same rows x, each as of tp_gp_posterior
 * times `scale` and moved by `shift`: weight (draws, f), amplitude (draws), u and alpha one pointer each. */
int tp_gp_mixture(int draws, const double *x, int n, const double *z, int m, int f, const double *weight, const uint8_t *nominal,
                  int kind, const double *amplitude, const double *const *u, int stride, const double *const *alpha,
                  double shift, double scale, double *mean, double *variance) {
    double *means = malloc(sizeof *means * (size_t)draws * m), *one = malloc(sizeof *one * (size_t)m);
    int failed = !means || !one;
    for (int j = 0; j < m; j++) mean[j] = 0;
    for (int j = 0; j < m && variance; j++) variance[j] = 0;
    for (int d = 0; d < draws && !failed; d++) {
        double *mine = means + (size_t)d * m;
        failed = tp_gp_posterior(x, n, z, m, f, weight + (size_t)d * f, nominal, kind, amplitude[d], u[d], stride, alpha[d], mine,
                                 variance ? one : NULL);
        for (int j = 0; j < m; j++) {
            mine[j] = shift + scale * mine[j];
            mean[j] += mine[j];
            if (variance) variance[j] += scale * scale * one[j];
        }
    }
    for (int j = 0; j < m && !failed; j++) {
        double spread = 0;
        mean[j] /= draws;
        if (!variance) continue;
        for (int d = 0; d < draws; d++) {
            double apart = means[(size_t)d * m + j] - mean[j];
            spread += apart * apart;
        }
        variance[j] = variance[j] / draws + spread / draws;
    }
    free(means), free(one);
    return failed ? -1 : 0;
}

/* out = first - sum over k in [from, to) of factor[k * step] * x[k * stride], in that order, of `side` * LANES columns. */
static inline __attribute__((always_inline)) void less_products(double *out, const double *first, const double *factor, int step,
                                                                const double *x, int stride, int from, int to, int side) {
    lanes sum[SIDE];
    for (int s = 0; s < side; s++) sum[s] = *(const lanes *)(first + s * LANES);
    for (int k = from; k < to; k++) {
        const lanes l = factor[(size_t)k * step] - (lanes){0};
        const double *row = x + (size_t)k * stride;
        for (int s = 0; s < side; s++) sum[s] -= l * *(const lanes *)(row + s * LANES);
    }
    for (int s = 0; s < side; s++) *(lanes *)(out + s * LANES) = sum[s];
}

/* The same of all columns [c, end), which are whole LANES: a few sums at once, since each waits for the one before it. */
static inline __attribute__((always_inline)) void less_all_products(double *row, const double *factor, int step, const double *x,
                                                                    int stride, int from, int to, int c, int end) {
    for (int side; c < end; c += side * LANES) {
        side = together((end - c) / LANES);
        if (side == 4) less_products(row + c, row + c, factor, step, x + c, stride, from, to, 4);
        else if (side == 3) less_products(row + c, row + c, factor, step, x + c, stride, from, to, 3);
        else if (side == 2) less_products(row + c, row + c, factor, step, x + c, stride, from, to, 2);
        else less_products(row + c, row + c, factor, step, x + c, stride, from, to, 1);
    }
}

/* Factors rows [from, n) of the symmetric matrix in u's upper triangle, in place. Returns 0, or 1 + the row that is not positive.
 * Where rows are whole LANES the columns before and behind a row's own may be used as room. */
TP_CLONES int tp_gp_cholesky(double *u, int stride, int from, int n) {
    int whole = stride % LANES == 0;
    for (int j = 0; j < n; j++) { /* columns >= from of the rows already factored, then the new rows */
        double *restrict row = u + (size_t)j * stride;
        int start = j < from ? from : j;
        if (whole && j >= from)
            less_all_products(row, u + j, stride, u, stride, 0, j, j / LANES * LANES, (n + LANES - 1) / LANES * LANES);
        else
            for (int k = 0; k < j; k++) {
                const double *restrict above = u + (size_t)k * stride;
                double l = above[j];
                for (int c = start; c < n; c++) row[c] -= l * above[c];
            }
        if (j >= from) {
            if (!(row[j] > 0)) return 1 + j;
            row[j] = sqrt(row[j]);
            start = j + 1;
        }
        double d = row[j];
        for (int c = start; c < n; c++) row[c] /= d;
    }
    return 0;
}

/* b = K^-1 b by two triangular solves. */
TP_CLONES void tp_gp_solve(const double *u, int stride, int n, double *restrict b) {
    for (int j = 0; j < n; j++) {
        const double *restrict row = u + (size_t)j * stride;
        b[j] /= row[j];
        for (int c = j + 1; c < n; c++) b[c] -= b[j] * row[c];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *restrict row = u + (size_t)j * stride;
        double s = b[j];
        for (int c = j + 1; c < n; c++) s -= row[c] * b[c];
        b[j] = s / row[j];
    }
}

/* The upper triangle of inverse (n, stride): K^-1 = T^T T with T = u^-T; scratch (n, stride). stride is a multiple of LANES, and the
 * LANES around a row's own columns may be used as room. LANES * SIDE columns at a time, which stay in the first-level cache. */
TP_CLONES void tp_gp_inverse(const double *u, int stride, int n, double *restrict inverse, double *restrict scratch) {
    for (int c = 0; c < n; c += LANES * SIDE) {
        int end = c + LANES * SIDE < stride ? c + LANES * SIDE : stride;
        for (int i = c; i < n; i++) { /* T's rows are 0 beyond their own number */
            double *restrict t = scratch + (size_t)i * stride, d = u[(size_t)i * stride + i];
            for (int b = c; b < end; b++) t[b] = b == i ? 1.0 : 0.0;
            less_all_products(t, u + i, stride, scratch, stride, c, i, c, end);
            for (int b = c; b < end; b++) t[b] /= d;
        }
        for (int a = 0; a < n && a < end; a++) {
            double *restrict row = inverse + (size_t)a * stride;
            int first = a > c ? a / LANES * LANES : c;
            for (int b = first; b < end; b++) row[b] = 0.0;
            less_all_products(row, scratch + a, stride, scratch, stride, a > c ? a : c, n, first, end);
            for (int b = first; b < end; b++) row[b] = -row[b];
        }
    }
}

/* u's upper triangle = amplitude * k(r2) + diagonal I of n rows, xt (f, stride) being them transposed with 0 behind, weight (f);
 * slope likewise if wanted. u and slope (n, stride); stride is a multiple of LANES. */
TP_CLONES void tp_gp_covariance(const double *xt, int n, int stride, int f, const double *weight, const uint8_t *nominal, int kind,
                                double amplitude, double diagonal, double *u, double *slope) {
    for (int i = 0; i < n; i++) {
        double *row = u + (size_t)i * stride;
        for (int j = i / LANES * LANES, side; j < n; j += side * LANES) {
            side = together((n - j + LANES - 1) / LANES);
            if (side == 4) row_distances(xt, stride, f, i, weight, nominal, row, j, 4);
            else if (side == 3) row_distances(xt, stride, f, i, weight, nominal, row, j, 3);
            else if (side == 2) row_distances(xt, stride, f, i, weight, nominal, row, j, 2);
            else row_distances(xt, stride, f, i, weight, nominal, row, j, 1);
        }
        kernel_values(kind, row + i, slope ? slope + (size_t)i * stride + i : NULL, n - i);
        for (int j = i; j < n; j++) row[j] *= amplitude;
        row[i] += diagonal;
    }
}

/* Log marginal likelihood of y (n) and its gradient (p + 2) in theta = log lengthscales (p), log amplitude, log noise, of rows as
 * in tp_gp_covariance whose feature c has the lengthscale group[c]; scratch holds 4 n stride + 2 stride + f. Returns -infinity when
 * K is not positive definite. */
TP_CLONES double tp_gp_likelihood(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal, int p,
                                  const double *y, int kind, const double *theta, double jitter, double *restrict gradient,
                                  double *restrict scratch) {
    size_t size = (size_t)n * (size_t)stride;
    double *u = scratch, *slope = u + size, *inverse = slope + size, *work = inverse + size, *alpha = work + size, *w = alpha + stride;
    double *weight = w + stride;
    double amplitude = exp(theta[p]), noise = exp(theta[p + 1]), value = 0, trace = 0, tied = 0;
    for (int c = 0; c < f; c++) weight[c] = exp(-2 * theta[group[c]]);
    tp_gp_covariance(xt, n, stride, f, weight, nominal, kind, amplitude, noise + jitter, u, slope);
    if (tp_gp_cholesky(u, stride, 0, n)) return -INFINITY;
    memcpy(alpha, y, sizeof *alpha * (size_t)n);
    tp_gp_solve(u, stride, n, alpha);
    tp_gp_inverse(u, stride, n, inverse, work);
    for (int i = 0; i < n; i++) {
        value -= 0.5 * y[i] * alpha[i] + log(u[(size_t)i * stride + i]) + 0.9189385332046727;
        tied += alpha[i] * y[i], trace += alpha[i] * alpha[i] - inverse[(size_t)i * stride + i];
    }
    for (int g = 0; g < p; g++) gradient[g] = 0;
    memset(w, 0, sizeof *w * (size_t)stride);
    for (int i = 0; i < n; i++) { /* w_j = (alpha alpha^T - K^-1)_ij dk/dr2 for j > i, else 0 */
        w[i] = 0;
        const double *own = inverse + (size_t)i * stride, *falls = slope + (size_t)i * stride;
        for (int j = i + 1; j < n; j++) w[j] = (alpha[i] * alpha[j] - own[j]) * falls[j];
        for (int c = 0, side; c < f; c += side) {
            double sum[SIDE];
            int from = (i + 1) / LANES * LANES;
            side = f - c < SIDE ? 1 : SIDE;
            if (side == SIDE) weighted_distances(w, xt, stride, i, c, SIDE, nominal, from, n, sum);
            else weighted_distances(w, xt, stride, i, c, 1, nominal, from, n, sum);
            for (int s = 0; s < side; s++) gradient[group[c + s]] -= 2 * amplitude * weight[c + s] * sum[s];
        }
    }
    /* tr(W K) = alpha^T y - n, of which (noise + jitter) tr(W) belongs to the diagonal */
    gradient[p] = 0.5 * (tied - n - (noise + jitter) * trace);
    gradient[p + 1] = 0.5 * noise * trace;
    return value;
}

/* -log p(theta | y) up to a constant, and its gradient (p + 2): the likelihood as above with priors of each theta,
 *     power theta - rate exp(theta) - precision (theta - center)^2 / 2
 * `priors` being powers, rates, centers and precisions, p + 2 each. 1e10 and zeros where K is not positive definite. */
double tp_gp_minus_log_posterior(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal, int p,
                                 const double *y, int kind, const double *priors, const double *theta, double jitter, double *gradient,
                                 double *scratch) {
    int all = p + 2;
    const double *power = priors, *rate = power + all, *center = rate + all, *precision = center + all;
    double value = tp_gp_likelihood(xt, n, stride, f, group, nominal, p, y, kind, theta, jitter, gradient, scratch), prior = 0;
    if (!isfinite(value)) {
        for (int i = 0; i < all; i++) gradient[i] = 0;
        return 1e10;
    }
    for (int i = 0; i < all; i++) {
        double scale = rate[i] > 0 ? rate[i] * exp(theta[i]) : 0.0, apart = theta[i] - center[i], pull = precision[i] * apart;
        prior += power[i] * theta[i] - scale - 0.5 * pull * apart;
        gradient[i] = -(gradient[i] + (power[i] - scale - pull));
    }
    return -(value + prior);
}

/* The sum of n numbers in the order of additions that numpy has, so that both ways of a chain agree. */
static double pairwise_sum(const double *a, int n) {
    if (n > 128) {
        int half = n / 2 - n / 2 % 8;
        return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
    }
    double sum = 0, r[8];
    int i = 0;
    if (n >= 8) {
        for (int j = 0; j < 8; j++) r[j] = a[j];
        for (i = 8; i < n - n % 8; i += 8)
            for (int j = 0; j < 8; j++) r[j] += a[i + j];
        sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < n; i++) sum += a[i];
    return sum;
}

/* Half of the squared length of a momentum (n); `room` (n). */
static double kinetic_energy(const double *momentum, int n, double *room) {
    for (int i = 0; i < n; i++) room[i] = momentum[i] * momentum[i];
    return 0.5 * pairwise_sum(room, n);
}

/* Hamiltonian Monte Carlo (surrogates/hamiltonian.py) under the posterior above, from the mode `theta` (p + 2), which becomes the
 * last state: `momenta` (proposals, p + 2) and `chances` (proposals) are its random numbers, states (proposals / thin, p + 2) every
 * thin-th state; `room` (4, p + 2). */
void tp_gp_chain(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal, int p, const double *y,
                 int kind, const double *priors, double jitter, double *scratch, double *theta, double bound, int leaps, double step,
                 int proposals, int thin, double *momenta, const double *chances, double *states, double *room) {
    int all = p + 2;
    size_t size = sizeof *theta * (size_t)all;
    double *gradient = room, *slope = room + all, *position = room + 2 * all, *squares = room + 3 * all;
    double value = tp_gp_minus_log_posterior(xt, n, stride, f, group, nominal, p, y, kind, priors, theta, jitter, gradient, scratch);
    for (int proposal = 0; proposal < proposals; proposal++) {
        double *momentum = momenta + (size_t)proposal * all, reached = value;
        double before = value + kinetic_energy(momentum, all, squares);
        memcpy(position, theta, size), memcpy(slope, gradient, size);
        for (int leap = 0; leap < leaps; leap++) {
            for (int i = 0; i < all; i++) {
                momentum[i] -= 0.5 * step * slope[i];
                double moved = position[i] + step * momentum[i];
                position[i] = moved < -bound ? -bound : moved > bound ? bound : moved;
            }
            reached = tp_gp_minus_log_posterior(xt, n, stride, f, group, nominal, p, y, kind, priors, position, jitter, slope, scratch);
            for (int i = 0; i < all; i++) momentum[i] -= 0.5 * step * slope[i];
        }
        int accepted = log(chances[proposal] + 1e-300) < before - reached - kinetic_energy(momentum, all, squares);
        if (accepted) memcpy(theta, position, size), memcpy(gradient, slope, size), value = reached;
        step *= accepted ? 1.15 : 0.75;
        if ((proposal + 1) % thin == 0) memcpy(states + (size_t)(proposal / thin) * all, theta, size);
    }
}
