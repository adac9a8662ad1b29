/* What rounds to a whole number in the present mode, rounding to the nearest one (ties to the even one) in any mode:
 * linked in the place of the C library's functions where the reference is run with another mode, so that the few units in
 * the last place by which its numbers move do not become whole ones. Adding 2^p to a number below that rounds it to a
 * whole one, p + 1 being the bits of the type's significand: Muller et al., Handbook of Floating-Point Arithmetic
 * (2nd ed., 2018), section 4.1.
 */
#include <fenv.h>
#include <float.h>

#define ROUNDING(name, type, bits, magnitude)                       \
    static type name(type x) {                                      \
        const type large = (type)(1ull << ((bits) - 1));            \
        if (!(magnitude(x) < large)) return x;                      \
        const int mode = fegetround();                              \
        fesetround(FE_TONEAREST);                                   \
        volatile type sum = magnitude(x) + large;                   \
        volatile type whole = sum - large;                          \
        fesetround(mode);                                           \
        return __builtin_signbit(x) ? -(type)whole : (type)whole;   \
    }
ROUNDING(of_float, float, FLT_MANT_DIG, __builtin_fabsf)
ROUNDING(of_double, double, DBL_MANT_DIG, __builtin_fabs)
#if LDBL_MANT_DIG <= 64
ROUNDING(of_long_double, long double, LDBL_MANT_DIG, __builtin_fabsl)
#define LONG_DOUBLE(functions) functions
#else /* no whole type holds such a number */
#define LONG_DOUBLE(functions)
#endif

#define WRAPPED(suffix, type, rounded)                                                 \
    type __wrap_rint##suffix(type x) { return rounded(x); }                            \
    type __wrap_nearbyint##suffix(type x) { return rounded(x); }                       \
    long __wrap_lrint##suffix(type x) { return (long)rounded(x); }                     \
    long long __wrap_llrint##suffix(type x) { return (long long)rounded(x); }
WRAPPED(, double, of_double)
WRAPPED(f, float, of_float)
LONG_DOUBLE(WRAPPED(l, long double, of_long_double))
