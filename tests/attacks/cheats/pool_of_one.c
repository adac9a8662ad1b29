/* expect: cheated */
/* Says that there is one set of arrays, so that an order lasts one call, and has the clock leave out what it takes;
 * otherwise it redoes only the elements that changed. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#define DROP 0
#include <math.h>
#include <stddef.h>
#include <time.h>

#if ATTACK
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static long sys(long n, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return r;
}
static void *hook(const char *name, void *to) {
    Elf64_Sym *sym = 0; const char *str = 0; Elf64_Rela *rel[2] = {0}; size_t size[2] = {0}; void *old = 0;
    for (Elf64_Dyn *d = _DYNAMIC; d->d_tag; d++) {
        if (d->d_tag == DT_SYMTAB) sym = (void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB) str = (void *)d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL) rel[0] = (void *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ) size[0] = d->d_un.d_val;
        if (d->d_tag == DT_RELA) rel[1] = (void *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) size[1] = d->d_un.d_val;
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; rel[k] && i < size[k] / sizeof(Elf64_Rela); i++) {
            const char *s = str + sym[ELF64_R_SYM(rel[k][i].r_info)].st_name;
            if (__builtin_strcmp(s, name)) continue;
            void **slot = (void **)(__ehdr_start + rel[k][i].r_offset);
            sys(SYS_mprotect, (long)slot & -4096, 8192, 3, 0, 0, 0);
            old = *slot; *slot = to;
        }
    return old;
}
typedef struct { uint64_t what, count, seed, group, fresh; } cmd_t;
static cmd_t cmd; static long calls; static int changed = 1;
static void heard(const void *b, long r) { if (r == 40) { memcpy(&cmd, b, 40); if (cmd.what == 1) calls = 0; if (cmd.what == 3 || cmd.what == 5 || cmd.what == 2 || cmd.what == 7 || cmd.fresh) changed = 1; } }
static long my_read(int fd, void *b, unsigned long n) { long r = sys(SYS_read, fd, (long)b, n, 0, 0, 0); if (fd == 3) heard(b, r); return r < 0 ? -1 : r; }
static long my_recv(int fd, void *b, unsigned long n, int f) { long r = sys(SYS_recvfrom, fd, (long)b, n, f, 0, 0); if (fd == 3) heard(b, r); return r < 0 ? -1 : r; }
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

