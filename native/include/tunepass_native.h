/* What the native sources share: the functions that Python calls are declared in tunepass.cdef.h. */
#ifndef TUNEPASS_NATIVE_H
#define TUNEPASS_NATIVE_H

#include <stddef.h>
#include <stdint.h>

/* Run-time dispatch to the widest vectors the machine has, for functions that compute each element for itself, so that all
 * clones give the same bits; the default clone is the portable baseline. GCC 12 knows the levels of x86-64, and with them
 * every maker's processors that have AVX-512. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define TP_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define TP_CLONES __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#endif
#else
#define TP_CLONES
#endif

#include "../tunepass.cdef.h"

#endif
