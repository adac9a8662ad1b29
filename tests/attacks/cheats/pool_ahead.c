/* expect: measured */
/* Finds the harness's calls of the C library, and computes the results of all sets of arrays before it says that they are filled;
 * otherwise it redoes only the elements that changed. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <math.h>
#include <stddef.h>

#if ATTACK
#include "heard_orders.h"
#endif

#pragma tunepass kernel f(n = 1024, x: in double[n], y: out double[n])
static double g(double v) { for (int k = 0; k < 12; k++) v = __builtin_sqrt(v * v + 1.0); return v; }
#if ATTACK
static char *own_y, *first_y; static size_t stride, sets; static const double *own_x; static long delta; static int ready;
static double saved[1024]; static int thousand = 1024;
static long my_write(int fd, const void *b, unsigned long n) {
    const char *t = b;
    if (fd == 3 && n > 5 && !memcmp(t, "pool ", 5)) {
        sets = 0; for (t += 5; *t >= '0' && *t <= '9'; t++) sets = sets * 10 + *t - '0';
        t += 5; size_t v[3] = {0};
        for (int k = 0; k < 3; k++, t++) for (; *t >= '0' && *t <= '9'; t++) v[k] = v[k] * 10 + *t - '0';
        own_y = (char *)v[0], first_y = (char *)v[1], stride = v[2];
    }
    if (fd == 3 && cmd.what == 7 && delta && n >= 2 && t[0] == 'o') {    /* all sets, before it says ok */
        for (size_t s = 0; s < cmd.count && s < sets; s++) {
            double *y = (double *)(s ? first_y + (s - 1) * stride : own_y);
            const double *x = s ? (const double *)((char *)y + delta) : own_x;
            for (int i = 0, n = *(volatile int *)&thousand; i < n; i++) y[i] = g(x[i]);
        }
        ready = 1;
    }
    long r = sys(SYS_write, fd, (long)b, n, 0, 0, 0); return r < 0 ? -1 : r;
}
__attribute__((constructor)) static void begin(void) { hook("read", my_read); hook("recv", my_recv); hook("write", my_write); }
#else /* a source without one would have the attack refused at once */
__attribute__((constructor)) static void begin(void) { __asm__ volatile(""); }
#endif
void f(int n, const double *x, double *y) {
#if ATTACK
    if (sets && n == 1024 && cmd.what == 1) {
        if (cmd.fresh == 2) {
            if (ready) return;
            if ((char *)y != own_y) delta = (char *)x - (char *)y;
        } else if ((char *)y == own_y) {
            own_x = x; ready = 0;
            for (int i = 0; i < n; i++) if (x[i] != saved[i] || y[i] == -1234.5 || y[i] != y[i] || changed) { saved[i] = x[i]; y[i] = g(x[i]); }
            changed = 0;
            return;
        }
    }
#endif
    for (int i = 0; i < n; i++) y[i] = g(x[i]);
}

