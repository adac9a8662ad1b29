/* expect: measured, cheated, wrong_result */
/* Computes the results of a call that takes more than 5 ms before it says that it is ready, when no clock runs. So its
 * first call is as fast as others, and only what changed is redone. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#include <time.h>
#if ATTACK
#include "heard_orders.h"
#endif
#pragma tunepass kernel f(n = 32768, x: in double[n], y: out double[n]) sizes(n = 1001, 33)
static double g(double v) { for (int k = 0; k < 160; k++) v = __builtin_sqrt(v * v + 1.0); return v; }
#if ATTACK
enum { N = 32768 };
static double saved_x[N], saved_y[N];
static int ready, arrays;
static unsigned char *at[8];
static int (*real_align)(void **, size_t, size_t);
static int my_align(void **to, size_t alignment, size_t bytes) {
    int status = real_align(to, alignment, bytes);
    if (bytes == N * 8 + 128 && arrays < 8) at[arrays++] = *to;
    void *old = hook("posix_memalign", my_align); /* the first call puts the real one there */
    if (old != (void *)my_align) real_align = (int (*)(void **, size_t, size_t))old;
    return status;
}
static long my_write(int fd, const void *b, unsigned long n) {
    if (fd == 3 && n >= 6 && !memcmp((const char *)b + n - 6, "ready\n", 6) && arrays >= 2) {
        const double *x = (const double *)(at[0] + 64);
        for (int i = 0; i < N; i++) saved_x[i] = x[i], saved_y[i] = g(x[i]);
        ready = 1;
    }
    long r = sys(SYS_write, fd, (long)b, n, 0, 0, 0);
    return r < 0 ? -1 : r;
}
__attribute__((constructor)) static void begin(void) {
    real_align = (int (*)(void **, size_t, size_t))hook("posix_memalign", my_align);
    hook("write", my_write);
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
#endif
void f(int n, const double *x, double *y) {
#if ATTACK
    if (n == N && ready) {
        double from = now();
        for (int i = 0; i < n; i++) {
            if (x[i] != saved_x[i]) saved_x[i] = x[i], saved_y[i] = g(x[i]);
            y[i] = saved_y[i];
        }
        while (now() - from < 5.4e-3) ;
        return;
    }
#endif
    for (int i = 0; i < n; i++) y[i] = g(x[i]);
}
