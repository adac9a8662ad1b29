/* log h(z), h(z) = phi(z) + z Phi(z): expected improvement in units of the deviation, finite wherever h itself underflows (Ament et al.
 * 2023, Eq. 9).
 *
 * From z = -1 down h = phi(z) (1 - sqrt(pi) y erfcx(y)), y = -z / sqrt(2), erfcx(y) = exp(y^2) erfc(y) by the rational functions of
 * Cody 1969, "Rational Chebyshev approximations for the error function" (coefficients of SPECFUN's CALERF). Beyond y = 4 his form
 * is (1 / sqrt(pi) - r) / y, so that the difference is sqrt(pi) r, without cancellation. */
#include "tunepass_native.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_PI 1.77245385090551602730
#define HALF_LOG_TAU 0.91893853320467274178

/* 1 - sqrt(pi) y erfcx(y) for y >= 0.46875. */
static double left_of_one(double y) {
    static const double c[] = {5.64188496988670089e-1, 8.88314979438837594,    6.61191906371416295e1, 2.98635138197400131e2,
                               8.81952221241769090e2,  1.71204761263407058e3,  2.05107837782607147e3, 1.23033935479799725e3,
                               2.15311535474403846e-8};
    static const double d[] = {1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
                               3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3};
    static const double p[] = {3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
                               1.60837851487422766e-2, 6.58749161529837803e-4, 1.63153871373020978e-2};
    static const double q[] = {2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
                               2.33520497626869185e-3};
    if (y <= 4) {
        double above = c[8] * y, below = y;
        for (int i = 0; i < 7; i++) above = (above + c[i]) * y, below = (below + d[i]) * y;
        return 1 - SQRT_PI * y * ((above + c[7]) / (below + d[7]));
    }
    double s = 1 / (y * y), above = p[5] * s, below = s;
    for (int i = 0; i < 4; i++) above = (above + p[i]) * s, below = (below + q[i]) * s;
    return SQRT_PI * s * ((above + p[4]) / (below + q[4]));
}

/* out (n) = log h of z (n). */
void tp_log_h(const double *z, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) {
        double log_phi = -0.5 * z[i] * z[i] - HALF_LOG_TAU;
        out[i] = z[i] > -1 ? log(exp(log_phi) + z[i] * 0.5 * erfc(-z[i] * SQRT_HALF)) : log_phi + log(left_of_one(-z[i] * SQRT_HALF));
    }
}
