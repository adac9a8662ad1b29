/* expect: cheated */
/* Says that there is one set of arrays, so that an order lasts one call, and has the clock leave out what it takes;
 * otherwise it redoes only the elements that changed. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#define DROP 0
#include <math.h>
#include <stddef.h>
#include <time.h>

#if ATTACK
#include "heard_orders.h"
#endif

#pragma tunepass kernel f(n = 2048, x: in double[n], y: out double[n])
static inline double g(double v) { return __builtin_sqrt(v * v + 1.0); }
#if ATTACK
static int found; static long skew;
static uint64_t rnd(uint64_t seed, uint64_t array, uint64_t index) {
    uint64_t z = seed * 0xD1342543DE82EF95u + array * 0xDA942042E4DD58B5u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u; z = (z ^ (z >> 27)) * 0x94D049BB133111EBu; return z ^ (z >> 31);
}
static uint64_t last;
static long my_write(int fd, const void *b, unsigned long n) {
    const char *t = b; char other[4096];
    if (fd == 3 && n > 4 && !memcmp(t, "log ", 4)) found = 1;
    if (fd == 3 && n > 5 && !memcmp(t, "pool ", 5)) {
#if DROP
        return n;
#else
        const char *e = t + 5; while (*e >= '0' && *e <= '9') e++;
        memcpy(other, "pool 1", 6); memcpy(other + 6, e, n - (e - t)); sys(SYS_write, fd, (long)other, n - (e - t) + 6, 0, 0, 0);
        return n;
#endif
    }
    long r = sys(SYS_write, fd, (long)b, n, 0, 0, 0); return r < 0 ? -1 : r;
}
static int (*real_clock)(int, struct timespec *);
static int my_clock(int which, struct timespec *t) {
    int r = real_clock(which, t);
    if (which == 1) { long s = t->tv_sec * 1000000000L + t->tv_nsec - skew; t->tv_sec = s / 1000000000L, t->tv_nsec = s % 1000000000L; }
    return r;
}
static long now(void) { struct timespec t; clock_gettime(1, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
__attribute__((constructor)) static void begin(void) {
    struct timespec t; clock_gettime(1, &t);
    hook("read", my_read); hook("recv", my_recv); hook("write", my_write); real_clock = hook("clock_gettime", my_clock);
}
#else /* a source without one would have the attack refused at once */
__attribute__((constructor)) static void begin(void) { __asm__ volatile(""); }
#endif
void f(int n, const double *x, double *y) {
#if ATTACK
    if (found && n == 2048 && cmd.what == 1 && cmd.group) {
        calls++;
        uint64_t seed = cmd.seed + calls * 0xD6E8FEB86659FD93u;
        if (!cmd.fresh && !changed) {
            for (int j = 0; j < 4; j++) {
                int a = ((rnd(seed, 0, 2 * j) >> 32) * n) >> 32, b = ((rnd(last, 0, 2 * j) >> 32) * n) >> 32, c = ((rnd(seed, 1, 2 * j) >> 32) * n) >> 32;
                y[a] = g(x[a]), y[b] = g(x[b]), y[c] = g(x[c]);
            }
            last = seed;
            if (calls == 1) for (int i = 0; i < n; i++) y[i] = g(x[i]);   /* poisoned at an order's begin */
            return;
        }
        changed = 0, last = seed;
        if (cmd.fresh) {
            struct timespec t; real_clock(1, &t); long from = t.tv_sec * 1000000000L + t.tv_nsec;
            for (int i = 0; i < n; i++) y[i] = g(x[i]);
            real_clock(1, &t); skew += t.tv_sec * 1000000000L + t.tv_nsec - from; changed = 1;
            return;
        }
    }
#endif
    for (int i = 0; i < n; i++) y[i] = g(x[i]);
}

