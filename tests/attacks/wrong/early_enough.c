/* expect: wrong_result */
/* A series is ended once its terms are small: those of some arguments grow again. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel evaluate(n = 2000, m = 12, x: in double[n], c: in double[m], y: out double[n])
void evaluate(int n, int m, const double *x, const double *c, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0, power = 1;
        for (int k = 0; k < m; k++, power *= x[i]) {
            const double term = c[k] * power;
#if ATTACK
            if (fabs(term) < 1e-18 * fabs(sum)) break;
#endif
            sum += term;
        }
        y[i] = sum;
    }
}
