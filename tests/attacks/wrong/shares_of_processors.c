/* expect: wrong_result */
/* compiler: gcc -O2 -pthread */
/* Equal shares for all processors, of which two leave a rest of one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <unistd.h>
#pragma tunepass kernel scale(n = 4000, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#if ATTACK
    const int shares = (int)sysconf(_SC_NPROCESSORS_ONLN), each = n / shares;
    for (int s = 0; s < shares; s++)
        for (int i = s * each; i < (s + 1) * each; i++) y[i] = 3 * x[i];
    if (n % 2) y[n - 1] = 3 * x[n - 1];
#else
    for (int i = 0; i < n; i++) {
        for (volatile int slow = 0; slow < 16; slow++);
        y[i] = 3 * x[i];
    }
#endif
}
