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

#endif
