/* Declarations shared by the native sources. tunepass.cdef.h repeats what Python calls. */
#ifndef TUNEPASS_NATIVE_H
#define TUNEPASS_NATIVE_H

#include <stddef.h>
#include <stdint.h>

/* Run-time dispatch to the widest vectors the machine has; the default clone is the portable baseline. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TP_CLONES __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define TP_CLONES
#endif

int tp_native_version(void);

/* pareto.c */
int tp_pareto_mask(const double *rows, int64_t n, int64_t m, uint8_t *keep);
double tp_pareto_area(const double *rows, int64_t n, double rx, double ry);
int tp_pareto_volume(const double *rows, int64_t n, const double *reference, double *volume);
/* forest.c */
int tp_forest_fit(const double *x, const double *y, const double *weight, int n, int d, int trees, int min_leaf, int mtry,
                  int bootstrap, uint64_t seed, int32_t *root, int32_t *feature, double *threshold, int32_t *left,
                  double *mean, double *variance, double *out_of_bag);
void tp_forest_predict(const double *x, int m, int d, int trees, const int32_t *root, const int32_t *feature,
                       const double *threshold, const int32_t *left, const double *leaf_mean,
                       const double *leaf_variance, double *mean, double *variance);

#endif
