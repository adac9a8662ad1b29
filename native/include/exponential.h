/* The exponential of kernels' values. */
#ifndef TUNEPASS_EXPONENTIAL_H
#define TUNEPASS_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* exp(x) for x <= 0 within 2 ulp, branch-free so that it vectorises: 2^k * P(r), |r| <= ln(2)/2, Taylor to r^12. */
static inline double exp_negative(double x) {
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer held in the low bits */
    x = x < -700.0 ? -700.0 : x;
    double t = x * 1.4426950408889634 + magic, k = t - magic;
    double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double p = 1.0 / 479001600;
    p = p * r + 1.0 / 39916800, p = p * r + 1.0 / 3628800, p = p * r + 1.0 / 362880, p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040, p = p * r + 1.0 / 720, p = p * r + 1.0 / 120, p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6, p = p * r + 0.5, p = p * r + 1.0, p = p * r + 1.0;
    uint64_t bits, power;
    memcpy(&power, &t, sizeof power), memcpy(&bits, &p, sizeof bits);
    bits += power << 52;
    memcpy(&p, &bits, sizeof p);
    return p;
}

#endif
