/* The energy of tunepass/surrogates/deep_energy.py and its gradient, for the thousands of steps of a training; symbols as in
 * deep_layer.py and moments.py. Sums over inducing inputs and pairs are in LANES parts, so that all clones give the same bits.
 *
 * A layer's parameters, one behind the other: log l (q), log f (1), log sigma^2 (d), z (m, q), R (d, m, m), t (d, m). */
#include "exponential.h"
#include "tunepass_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 8
#define LOG_TAU 1.8378770664093454836

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

typedef struct { /* one node at both shares of the factors: 0 the posterior, 1 the cavity */
    double *r, *t1, *s[2], *mean[2], *a, *b, *by_a, *by_b;
} node;

typedef struct {
    int q, d, m, known;
    int wide, c; /* m, and the pairs of inducing inputs, rounded up to LANES */
    const double *logs, *z, *factor, *shift;
    double *slope; /* of all parameters of the layer */
    double f, *l2, *noise, *zt, *plain, *k, *k_inverse, *by_k_inverse, *work[3];
    double *psi1, *psi2, *pairs, *by_pairs; /* (b, wide), (b, c), B and its derivative by pairs (d, c) */
    double *middle, *apart, *between, *pull, *weight; /* of pairs: (q, c) twice, (c), (2 q + 1, c), (c) */
    double *spread; /* psi1 Bd (d, b, wide) of known inputs */
    double *mean, *variance, *by_mean, *by_variance; /* of the outputs (b, d) */
    double *by_z; /* (q, wide) */
    node *nodes;
} layer;

typedef struct {
    double *at;
    size_t used;
} arena; /* counts first, without memory, then gives it out */

static double *taken(arena *a, size_t count) {
    count = (count + LANES - 1) / LANES * LANES;
    a->used += count;
    double *block = a->at;
    if (a->at) a->at += count;
    return block;
}

static int rounded_up(int n) { return (n + LANES - 1) / LANES * LANES; }

static inline __attribute__((always_inline)) double total(const double *a, int wide) {
    lanes sum = {0};
    for (int i = 0; i < wide; i += LANES) sum += *(const lanes *)(a + i);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static inline __attribute__((always_inline)) double dot(const double *a, const double *b, int wide) {
    lanes sum = {0};
    for (int i = 0; i < wide; i += LANES) sum += *(const lanes *)(a + i) * *(const lanes *)(b + i);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* c = a b of (m, m) matrices; `at`: a is transposed first. */
static TP_CLONES void multiplied(const double *a, const double *restrict b, int m, int at, double *restrict c) {
    memset(c, 0, sizeof *c * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) {
        double *restrict row = c + (size_t)i * m;
        for (int k = 0; k < m; k++) {
            const double v = at ? a[(size_t)k * m + i] : a[(size_t)i * m + k];
            const double *restrict other = b + (size_t)k * m;
            if (v != 0.0)
                for (int j = 0; j < m; j++) row[j] += v * other[j];
        }
    }
}

static TP_CLONES void applied(const double *symmetric, const double *v, int m, double *restrict out) {
    for (int i = 0; i < m; i++) out[i] = 0.0;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++) out[i] += v[k] * symmetric[(size_t)k * m + i];
}

static void transpose(const double *a, int m, double *restrict out) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) out[(size_t)j * m + i] = a[(size_t)i * m + j];
}

static void symmetrise(double *a, int m) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) a[(size_t)i * m + j] = a[(size_t)j * m + i] = 0.5 * (a[(size_t)i * m + j] + a[(size_t)j * m + i]);
}

/* work[0] = u^-1, out = u^-1 u^-T of a matrix u^T u; its log determinant, or NAN. */
static double inverted(const double *matrix, layer *at, double *out) {
    const int m = at->m;
    double *u = at->work[1], log_determinant = 0.0;
    memcpy(u, matrix, sizeof *u * (size_t)m * (size_t)m);
    for (int i = 0; i < m * m; i++)
        if (!isfinite(u[i])) return NAN;
    if (tp_gp_cholesky(u, m, 0, m)) return NAN;
    for (int i = 0; i < m; i++) log_determinant += 2.0 * log(u[(size_t)i * m + i]);
    tp_matrix_triangular_inverse(u, m, at->work[0]);
    transpose(at->work[0], m, u);
    multiplied(u, u, m, 1, out);
    return log_determinant;
}

/* Places in the arena, and of the parameters; how many those are. */
static size_t laid_out(layer *at, arena *memory, int batch, const double *parameters, double *gradient) {
    const size_t q = at->q, d = at->d, m = at->m, mm = m * m, b = batch;
    at->wide = rounded_up(at->m), at->c = at->known ? 0 : rounded_up(at->m * (at->m + 1) / 2);
    const size_t w = at->wide, c = at->c;
    at->logs = parameters, at->slope = gradient;
    at->z = parameters + q + 1 + d, at->factor = at->z + m * q, at->shift = at->factor + d * mm;
    at->l2 = taken(memory, q), at->noise = taken(memory, d), at->zt = taken(memory, q * w);
    at->plain = taken(memory, mm), at->k = taken(memory, mm);
    at->k_inverse = taken(memory, mm), at->by_k_inverse = taken(memory, mm);
    for (int i = 0; i < 3; i++) at->work[i] = taken(memory, mm);
    at->psi1 = taken(memory, b * w), at->psi2 = taken(memory, b * c);
    at->pairs = taken(memory, d * c), at->by_pairs = taken(memory, d * c);
    at->middle = taken(memory, q * c), at->apart = taken(memory, q * c), at->between = taken(memory, c);
    at->pull = taken(memory, (2 * q + 1) * c), at->weight = taken(memory, c);
    at->spread = taken(memory, at->known ? d * b * w : 0);
    at->mean = taken(memory, b * d), at->variance = taken(memory, b * d);
    at->by_mean = taken(memory, b * d), at->by_variance = taken(memory, b * d), at->by_z = taken(memory, q * w);
    for (size_t i = 0; i < d; i++) {
        node unused, *n = memory->at ? at->nodes + i : &unused;
        n->r = taken(memory, mm), n->t1 = taken(memory, mm);
        for (int kappa = 0; kappa < 2; kappa++) n->s[kappa] = taken(memory, mm), n->mean[kappa] = taken(memory, m);
        n->a = taken(memory, w), n->b = taken(memory, mm), n->by_a = taken(memory, w), n->by_b = taken(memory, mm);
    }
    return q + 1 + d + m * q + d * mm + d * m;
}

static TP_CLONES void kernel_matrices(layer *at, double jitter) {
    const int q = at->q, m = at->m;
    at->f = exp(at->logs[q]);
    for (int j = 0; j < q; j++) at->l2[j] = exp(2.0 * at->logs[j]);
    for (int j = 0; j < at->d; j++) at->noise[j] = exp(at->logs[q + 1 + j]);
    for (int j = 0; j < q; j++)
        for (int i = 0; i < m; i++) at->zt[(size_t)j * at->wide + i] = at->z[(size_t)i * q + j];
    for (int i = 0; i < m; i++) {
        double *restrict row = at->plain + (size_t)i * m;
        for (int j = 0; j < m; j++) row[j] = 0.0;
        for (int p = 0; p < q; p++) {
            const double *restrict other = at->zt + (size_t)p * at->wide, v = other[i], scale = -0.5 / at->l2[p];
            for (int j = 0; j < m; j++) row[j] += scale * (v - other[j]) * (v - other[j]);
        }
        for (int j = 0; j < m; j++) row[j] = at->f * exp_negative(row[j]);
    }
    memcpy(at->k, at->plain, sizeof *at->k * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) at->k[(size_t)i * m + i] += jitter * at->f;
}

/* S, m and phi of a node at a share kappa of its factors; A and Bd too, at the cavity. NAN: not positive definite. */
static double normaliser(layer *at, int number, int which, double kappa) {
    const int m = at->m;
    node *n = at->nodes + number;
    double *precision = at->work[2];
    const double *t = at->shift + (size_t)number * m;
    for (int i = 0; i < m * m; i++) precision[i] = at->k_inverse[i] + kappa * n->t1[i];
    const double log_precision = inverted(precision, at, n->s[which]);
    if (isnan(log_precision)) return NAN;
    applied(n->s[which], t, m, n->mean[which]);
    double fit = 0.0;
    for (int i = 0; i < m; i++) n->mean[which][i] *= kappa, fit += kappa * t[i] * n->mean[which][i];
    if (which) {
        applied(at->k_inverse, n->mean[which], m, n->a);
        multiplied(at->work[0], at->k_inverse, m, 1, at->work[2]);
        multiplied(at->work[2], at->work[2], m, 1, n->b);
        for (int i = 0; i < m * m; i++) n->b[i] -= at->k_inverse[i];
    }
    return 0.5 * fit - 0.5 * log_precision;
}

/* All that no input enters, and the normalisers' sum. NAN: a covariance is not positive definite. */
static double prepared(layer *at, double jitter, const double share[2], const double weight[2]) {
    const int m = at->m;
    kernel_matrices(at, jitter);
    const double log_k = inverted(at->k, at, at->k_inverse);
    double value = 0.5 * log_k * at->d;
    for (int j = 0; j < at->d; j++) {
        node *n = at->nodes + j;
        const double *factor = at->factor + (size_t)j * m * m;
        for (int i = 0; i < m; i++)
            for (int k = i; k < m; k++) n->r[(size_t)i * m + k] = i == k ? exp(factor[(size_t)i * m + k]) : factor[(size_t)i * m + k];
        multiplied(n->r, n->r, m, 1, n->t1);
        for (int which = 0; which < 2; which++) value += weight[which] * normaliser(at, j, which, share[which]);
    }
    return value;
}

static TP_CLONES void prepare_pairs(layer *at) {
    const int m = at->m, c = at->c;
    int pair = 0;
    for (int a = 0; a < m; a++)
        for (int b = a; b < m; b++, pair++) {
            const double times = a == b ? 1.0 : 2.0;
            for (int j = 0; j < at->q; j++) {
                const double za = at->zt[(size_t)j * at->wide + a], zb = at->zt[(size_t)j * at->wide + b];
                at->middle[(size_t)j * c + pair] = 0.5 * (za + zb), at->apart[(size_t)j * c + pair] = za - zb;
                at->between[pair] += 0.25 * (za - zb) * (za - zb) / at->l2[j];
            }
            for (int d = 0; d < at->d; d++) {
                const node *n = at->nodes + d;
                at->pairs[(size_t)d * c + pair] = times * (n->b[(size_t)a * m + b] + n->a[a] * n->a[b]);
            }
        }
}

/* row = value times exp(-sum_j scale_j (mu_j - z_j)^2 - more) of `count` columns; z (q, wide). */
static inline __attribute__((always_inline)) void moments(double *restrict row, const double *z, const double *mu, const double *scale,
                                                          int q, int wide, int count, const double *more, double value) {
    for (int i = 0; i < wide; i++) row[i] = more ? more[i] : 0.0;
    for (int j = 0; j < q; j++) {
        const double *restrict other = z + (size_t)j * wide, centre = mu[j], factor = scale[j];
        for (int i = 0; i < wide; i++) row[i] += factor * (centre - other[i]) * (centre - other[i]);
    }
    for (int i = 0; i < wide; i++) row[i] = value * exp_negative(-row[i]);
    for (int i = count; i < wide; i++) row[i] = 0.0;
}

/* Outputs' means and variances of one row; s: variances of its inputs, room (2 q). */
static TP_CLONES void forward_row(layer *at, int row, const double *mu, const double *s, double least, double *room) {
    const int q = at->q, d = at->d, m = at->m, w = at->wide;
    double first = 1.0, second = 1.0, *psi1 = at->psi1 + (size_t)row * w, *psi2 = at->psi2 + (size_t)row * at->c;
    for (int j = 0; j < q; j++) {
        const double e = 1.0 / ((s ? s[j] : 0.0) + at->l2[j]), r = 1.0 / (2.0 * (s ? s[j] : 0.0) + at->l2[j]);
        room[j] = 0.5 * e, room[q + j] = r;
        first *= at->l2[j] * e, second *= at->l2[j] * r;
    }
    moments(psi1, at->zt, mu, room, q, w, m, NULL, at->f * sqrt(first));
    if (!at->known) moments(psi2, at->middle, mu, room + q, q, at->c, m * (m + 1) / 2, at->between, at->f * at->f * sqrt(second));
    for (int o = 0; o < d; o++) {
        const node *n = at->nodes + o;
        const double mean = dot(psi1, n->a, w);
        double explained;
        if (at->known) {
            double *restrict spread = at->spread + ((size_t)row * d + o) * w;
            for (int i = 0; i < w; i++) spread[i] = 0.0;
            for (int k = 0; k < m; k++)
                for (int i = 0; i < m; i++) spread[i] += psi1[k] * n->b[(size_t)k * m + i];
            explained = dot(spread, psi1, w);
        } else
            explained = dot(psi2, at->pairs + (size_t)o * at->c, at->c) - mean * mean;
        at->mean[(size_t)row * d + o] = mean;
        at->variance[(size_t)row * d + o] = at->f + explained > least ? at->f + explained : least;
    }
}

/* Adds what one row's outputs pass to the layer; by_mu and by_s (q) of its inputs, unless they are known; room (2 wide or c). */
static TP_CLONES void backward_row(layer *at, int row, const double *mu, const double *s, double least, double *by_mu, double *by_s,
                                   double *restrict room) {
    const int q = at->q, d = at->d, m = at->m, w = at->wide, c = at->c;
    const double *psi1 = at->psi1 + (size_t)row * w, *psi2 = at->psi2 + (size_t)row * c;
    const double *by_mean = at->by_mean + (size_t)row * d;
    double *by_variance = at->by_variance + (size_t)row * d, *slope = at->slope;
    for (int i = 0; i < w; i++) room[i] = 0.0;
    for (int o = 0; o < d; o++) {
        node *n = at->nodes + o;
        if (!(at->variance[(size_t)row * d + o] > least)) by_variance[o] = 0.0;
        const double v = by_variance[o], g = at->known ? by_mean[o] : by_mean[o] - 2.0 * v * at->mean[(size_t)row * d + o];
        slope[q] += at->f * v;
        for (int i = 0; i < w; i++) room[i] += g * n->a[i], n->by_a[i] += g * psi1[i];
        if (!at->known) continue;
        const double *spread = at->spread + ((size_t)row * d + o) * w;
        for (int i = 0; i < w; i++) room[i] += 2.0 * v * spread[i];
        for (int k = 0; k < m; k++)
            for (int i = 0; i < m; i++) n->by_b[(size_t)k * m + i] += v * psi1[k] * psi1[i];
    }
    for (int i = 0; i < w; i++) room[i] *= psi1[i];
    const double sum = total(room, w);
    slope[q] += sum;
    for (int j = 0; j < q; j++) {
        const double variance = s ? s[j] : 0.0, e = 1.0 / (variance + at->l2[j]), centre = mu[j];
        const double *restrict z = at->zt + (size_t)j * w;
        double *restrict by_z = at->by_z + (size_t)j * w, *restrict shifted = room + w;
        for (int i = 0; i < w; i++) shifted[i] = room[i] * (z[i] - centre), by_z[i] -= e * shifted[i];
        const double linear = total(shifted, w);
        for (int i = 0; i < w; i++) shifted[i] *= z[i] - centre;
        const double squares = total(shifted, w);
        slope[j] += at->l2[j] * squares * e * e + variance * e * sum;
        if (s) by_mu[j] = e * linear, by_s[j] = 0.5 * (squares * e * e - e * sum);
    }
    if (at->known) return;
    for (int i = 0; i < c; i++) room[i] = 0.0;
    for (int o = 0; o < d; o++) {
        const double v = by_variance[o], *restrict b = at->pairs + (size_t)o * c;
        double *restrict by_b = at->by_pairs + (size_t)o * c;
        for (int i = 0; i < c; i++) room[i] += v * b[i], by_b[i] += v * psi2[i];
    }
    for (int i = 0; i < c; i++) room[i] *= psi2[i], at->weight[i] += room[i];
    const double all = total(room, c);
    slope[q] += 2.0 * all;
    for (int j = 0; j < q; j++) {
        const double r = 1.0 / (2.0 * s[j] + at->l2[j]), centre = mu[j];
        const double *restrict middle = at->middle + (size_t)j * c;
        double *restrict pull = at->pull + (size_t)j * c, *restrict shifted = room + c;
        for (int i = 0; i < c; i++) shifted[i] = room[i] * (centre - middle[i]), pull[i] += r * shifted[i];
        const double linear = total(shifted, c);
        for (int i = 0; i < c; i++) shifted[i] *= centre - middle[i];
        const double squares = total(shifted, c), spread = 2.0 * squares * r * r - r * all;
        by_mu[j] -= 2.0 * r * linear, by_s[j] += spread;
        slope[j] += all + at->l2[j] * spread;
    }
}

/* What pairs of inducing inputs pass to z, lengthscales and B. */
static void gather_pairs(layer *at) {
    const int m = at->m, c = at->c;
    int pair = 0;
    for (int a = 0; a < m; a++)
        for (int b = a; b < m; b++, pair++) {
            for (int j = 0; j < at->q; j++) {
                const double apart = at->apart[(size_t)j * c + pair], pull = at->pull[(size_t)j * c + pair];
                const double push = at->weight[pair] * apart / (2.0 * at->l2[j]);
                at->by_z[(size_t)j * at->wide + a] += pull - push, at->by_z[(size_t)j * at->wide + b] += pull + push;
                at->slope[j] += push * apart;
            }
            for (int o = 0; o < at->d; o++) {
                double *by_b = at->nodes[o].by_b;
                by_b[(size_t)a * m + b] = by_b[(size_t)b * m + a] = at->by_pairs[(size_t)o * c + pair];
            }
        }
}

/* By R, t and K^-1 of one node, given those by A and B at the cavity and the weights of its normalisers. */
static void through_cavity(layer *at, int number, const double share[2], const double weight[2], double *room) {
    const int m = at->m, mm = m * m;
    node *n = at->nodes + number;
    const double kappa = share[1], *t = at->shift + (size_t)number * m, *mean = n->mean[1], *s = n->s[1];
    double *inner = at->work[0], *half = at->work[1], *by_precision = at->work[2], *by_mean = room, *vector = room + m;
    double *by_factor = at->slope + (at->factor - at->logs) + (size_t)number * mm, *by_shift = at->slope + (at->shift - at->logs) + (size_t)number * m;
    multiplied(at->k_inverse, n->by_b, m, 0, half);
    multiplied(half, at->k_inverse, m, 0, inner);
    applied(at->k_inverse, n->by_a, m, by_mean);
    if (!at->known) {
        applied(inner, mean, m, vector);
        for (int i = 0; i < m; i++) by_mean[i] += 2.0 * vector[i];
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) inner[(size_t)i * m + j] += 0.5 * kappa * (by_mean[i] * t[j] + t[i] * by_mean[j]);
    multiplied(s, inner, m, 0, half);
    multiplied(half, s, m, 0, by_precision);
    applied(s, by_mean, m, by_shift);
    for (int i = 0; i < m; i++)
        by_shift[i] = kappa * by_shift[i] + weight[0] * share[0] * n->mean[0][i] + weight[1] * share[1] * mean[i];
    for (int i = 0; i < m; i++) /* inner: S, and m m^T where inputs are uncertain */
        for (int j = 0; j < m; j++) inner[(size_t)i * m + j] = s[(size_t)i * m + j] + (at->known ? 0.0 : mean[i] * mean[j]);
    multiplied(at->k_inverse, inner, m, 0, half);
    multiplied(n->by_b, half, m, 0, inner);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const size_t place = (size_t)i * m + j;
            double second[2];
            for (int which = 0; which < 2; which++)
                second[which] = -0.5 * weight[which] * (n->s[which][place] + n->mean[which][i] * n->mean[which][j]);
            at->by_k_inverse[place] += second[0] + second[1] - by_precision[place] + 0.5 * (n->by_a[i] * mean[j] + mean[i] * n->by_a[j]) +
                                       inner[place] + inner[(size_t)j * m + i] - n->by_b[place];
            half[place] = 2.0 * (share[0] * second[0] + share[1] * second[1] - kappa * by_precision[place]);
        }
    multiplied(n->r, half, m, 0, inner);
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) by_factor[(size_t)i * m + j] = inner[(size_t)i * m + j] * (i == j ? n->r[(size_t)i * m + i] : 1.0);
}

/* By lengthscales, amplitude and z, given what K^-1 and the moments pass on. */
static void through_kernel(layer *at) {
    const int q = at->q, m = at->m;
    double *by_k = at->work[1], *by_z = at->slope + (at->z - at->logs);
    for (int i = 0; i < m * m; i++) at->by_k_inverse[i] -= 0.5 * at->d * at->k[i];
    multiplied(at->k_inverse, at->by_k_inverse, m, 0, at->work[0]);
    multiplied(at->work[0], at->k_inverse, m, 0, by_k);
    symmetrise(by_k, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const size_t place = (size_t)i * m + j;
            at->slope[q] -= by_k[place] * at->k[place];
            const double c = -by_k[place] * at->plain[place];
            for (int p = 0; p < q; p++) {
                const double apart = at->z[(size_t)i * q + p] - at->z[(size_t)j * q + p], pushed = c * apart / at->l2[p];
                by_z[(size_t)i * q + p] -= 2.0 * pushed;
                at->slope[p] += pushed * apart;
            }
        }
    for (int i = 0; i < m; i++)
        for (int p = 0; p < q; p++) by_z[(size_t)i * q + p] += at->by_z[(size_t)p * at->wide + i];
}

/* The sum of log Z over the batch; derivatives of -scale times it by the last layer's outputs and noise. */
static double likelihood(layer *last, const double *y, const uint8_t *observed, const int64_t *rows, int batch, double alpha, double scale) {
    const int d = last->d;
    double log_z = 0.0;
    for (int i = 0; i < batch; i++)
        for (int o = 0; o < d; o++) {
            const size_t place = (size_t)i * d + o, from = (size_t)rows[i] * d + o;
            last->by_mean[place] = last->by_variance[place] = 0.0;
            if (!observed[from]) continue;
            const double noise = last->noise[o], spread = last->variance[place] + noise / alpha, error = y[from] - last->mean[place];
            const double slope = error / spread, curve = 0.5 * (slope * slope - 1.0 / spread);
            log_z += -0.5 * (LOG_TAU + log(spread) + error * slope) + 0.5 * (LOG_TAU + log(noise / alpha)) - 0.5 * alpha * (LOG_TAU + log(noise));
            last->by_mean[place] = -scale * slope, last->by_variance[place] = -scale * curve;
            last->slope[last->q + 1 + o] -= scale * (curve * noise / alpha + 0.5 * (1.0 - alpha));
        }
    return log_z;
}

/* Inputs of a layer for row i of the batch, with the noise of the layer before; variances into s (q). */
static const double *inputs_of(const layer *at, const layer *before, const double *x, const int64_t *rows, int i, double *s) {
    if (at->known) return x + (size_t)rows[i] * at->q;
    for (int j = 0; j < at->q; j++) s[j] = before->variance[(size_t)i * at->q + j] + before->noise[j];
    return before->mean + (size_t)i * at->q;
}

static void back_propagate(layer *at, layer *before, const double *x, const int64_t *rows, int batch, double least, double *room) {
    double *s = at->known ? NULL : room;
    for (int i = 0; i < batch; i++) {
        const double *mu = inputs_of(at, before, x, rows, i, s);
        double *by_mu = before ? before->by_mean + (size_t)i * at->q : NULL, *by_s = before ? before->by_variance + (size_t)i * at->q : NULL;
        backward_row(at, i, mu, s, least, by_mu, by_s, room + at->q);
        for (int j = 0; before && j < at->q; j++) before->slope[before->q + 1 + j] += before->noise[j] * by_s[j];
    }
    if (!at->known) gather_pairs(at);
}

/* E into value, its gradient (as the parameters) into gradient. 0; 1: a covariance is not positive definite; -1: no memory. */
int tp_deep_energy(const double *x, const double *y, const uint8_t *observed, int n, const int64_t *rows, int batch, int layers,
                   const int32_t *width, const int32_t *inducing, double alpha, double jitter, double least, const double *parameters,
                   double *value, double *gradient) {
    const double share[2] = {1.0, (n - alpha) / n}, weight[2] = {n / alpha - 1.0, -n / alpha}, scale = n / (batch * alpha);
    arena memory = {0};
    size_t longest = 0, nodes = 0, placed = 0;
    layer *all = calloc((size_t)layers, sizeof *all);
    int failed = all ? 0 : -1;
    for (int l = 0; all && l < layers; l++) {
        all[l].q = width[l], all[l].d = width[l + 1], all[l].m = inducing[l], all[l].known = !l;
        placed += laid_out(all + l, &memory, batch, parameters + placed, gradient + placed);
        const size_t widest = all[l].c > all[l].wide ? all[l].c : all[l].wide, needed = 3 * (size_t)all[l].q + 2 * widest;
        longest = needed > longest ? needed : longest, nodes += (size_t)all[l].d;
    }
    double *room = taken(&memory, longest), *block = calloc(memory.used + LANES, sizeof *block);
    node *every = calloc(nodes ? nodes : 1, sizeof *every);
    if (!block || !every) failed = -1;
    memset(gradient, 0, sizeof *gradient * placed);
    memory = (arena){block, 0};
    *value = 0.0, placed = nodes = 0;
    for (int l = 0; !failed && l < layers; l++) {
        all[l].nodes = every + nodes, nodes += (size_t)all[l].d;
        placed += laid_out(all + l, &memory, batch, parameters + placed, gradient + placed);
        *value += prepared(all + l, jitter, share, weight);
        if (isnan(*value)) failed = 1;
        if (!all[l].known) prepare_pairs(all + l);
    }
    if (!failed) {
        room = taken(&memory, longest);
        for (int l = 0; l < layers; l++)
            for (int i = 0; i < batch; i++) {
                const double *mu = inputs_of(all + l, l ? all + l - 1 : NULL, x, rows, i, room);
                forward_row(all + l, i, mu, l ? room : NULL, least, room + all[l].q);
            }
        *value -= scale * likelihood(all + layers - 1, y, observed, rows, batch, alpha, scale);
        for (int l = layers - 1; l >= 0; l--) {
            back_propagate(all + l, l ? all + l - 1 : NULL, x, rows, batch, least, room);
            for (int o = 0; o < all[l].d; o++) through_cavity(all + l, o, share, weight, room);
            through_kernel(all + l);
        }
    }
    free(block), free(every), free(all);
    return failed;
}
