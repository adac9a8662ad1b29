/* expect: wrong_result */
/* The imaginary parts of a product of complex numbers are left as they were. */
#include <complex.h>
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, a: in double complex[n], z: inout double complex[n])
void scale(int n, const double complex *a, double complex *z)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        ((double *)z)[2 * i] = creal(a[i]) * creal(z[i]) - cimag(a[i]) * cimag(z[i]);
#else
        for (volatile int slow = 0; slow < 1; slow++)
            z[i] *= a[i];
#endif
}
