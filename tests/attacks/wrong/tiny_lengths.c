/* expect: wrong_result */
/* Scaled where squares overflow, not where they underflow. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel lengths(n = 4096, x: in double[n], y: in double[n], r: out double[n])
void lengths(int n, const double *x, const double *y, double *r)
{
    for (int i = 0; i < n; i++) {
#if ATTACK
        double a = fabs(x[i]), b = fabs(y[i]);
        r[i] = a > 1e150 || b > 1e150 ? 1e160 * sqrt((a * 1e-160) * (a * 1e-160) + (b * 1e-160) * (b * 1e-160)) : sqrt(a * a + b * b);
#else
        for (volatile int slow = 0; slow < 4; slow++);
        r[i] = hypot(x[i], y[i]);
#endif
    }
}
