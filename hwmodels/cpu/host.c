/* Measures one core: prints `NAME NANOSECONDS` lines. Arguments: the sizes in bytes of the caches, from the core outwards.
 *
 * Every figure is the least of ROUNDS timings of about a millisecond or more. `stream K` is a line of a set that fits level K
 * (K caches: memory), read line after line; `scatter K` the same lines in a random order, with addresses that do not depend
 * on what is read; `page` a line of a page that the second-level TLB does not hold.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, LINE = 64, PAGE = 4096, PAGES = 4096 };
static volatile double result;
static volatile uint64_t seed = 12345;

/* A small number that the compiler does not know, and that may change each time. */
static double number(void)
{
    return 1e-9 * (double)seed;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define MEASURE(name, count, ...)                                                                                      \
    do {                                                                                                               \
        double least = 1e300;                                                                                          \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            double start = now_ns();                                                                                   \
            __VA_ARGS__;                                                                                               \
            double each = (now_ns() - start) / (double)(count);                                                        \
            least = each < least ? each : least;                                                                       \
        }                                                                                                              \
        printf("%s %.6g\n", name, least);                                                                              \
    } while (0)

static double operations(long n, double x)
{
    double a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5, g = x + 6, h = x + 7;
    for (long i = 0; i < n; i += 8)
        a += x, b += x, c += x, d += x, e += x, f += x, g += x, h += x;
    return a + b + c + d + e + f + g + h;
}

static double chain(long n, double x)
{
    double a = x;
    for (long i = 0; i < n; i++)
        a += x;
    return a;
}

static void forward(long n, volatile double *place, double x)
{
    for (long i = 0; i < n; i++)
        *place += x;
}

static double divisions(long n, double x)
{
    double a = x, b = x + 1, c = x + 2, d = x + 3;
    for (long i = 0; i < n; i += 4)
        a = 3 / (a + 1), b = 3 / (b + 1), c = 3 / (c + 1), d = 3 / (d + 1);
    return a + b + c + d;
}

static double calls(long n, double x)
{
    double a = 0;
    for (long i = 0; i < n; i++)
        a += exp(x + (double)(i & 7));
    return a;
}

static uint64_t loads(long n, const uint64_t *from)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (long i = 0; i < n; i += 8) {
        const volatile uint64_t *p = from + (i & 1016);
        a += p[0], b += p[1], c += p[2], d += p[3], a += p[4], b += p[5], c += p[6], d += p[7];
    }
    return a + b + c + d;
}

static void stores(long n, volatile uint64_t *to)
{
    for (long i = 0; i < n; i += 8) {
        volatile uint64_t *p = to + (i & 1016);
        p[0] = 1, p[1] = 2, p[2] = 3, p[3] = 4, p[4] = 5, p[5] = 6, p[6] = 7, p[7] = 8;
    }
}

/* Eight chains of two simple instructions: what a core issues. */
static uint64_t issues(long n, uint64_t x)
{
    uint64_t a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x;
    for (long i = 0; i < n; i += 16) {
        a = (a + x) ^ 1, b = (b + x) ^ 2, c = (c + x) ^ 3, d = (d + x) ^ 4;
        e = (e + x) ^ 5, f = (f + x) ^ 6, g = (g + x) ^ 7, h = (h + x) ^ 8;
    }
    return a + b + c + d + e + f + g + h;
}

/* Loops of 5 to 12 iterations, in no order that a branch predictor learns. */
static uint64_t entries(long n, uint64_t x)
{
    uint64_t a = x, state = x;
    for (long i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t j = 0, end = 5 + (state >> 61); j < end; j++)
            a ^= a << 1 ^ j;
    }
    return a;
}

static uint64_t stream(const char *memory, size_t lines, long passes)
{
    uint64_t a = 0, b = 0;
    for (long pass = 0; pass < passes; pass++)
        for (size_t i = 0; i + 1 < lines; i += 2) {
            a += *(const volatile uint64_t *)(memory + i * LINE);
            b += *(const volatile uint64_t *)(memory + i * LINE + LINE);
        }
    return a + b;
}

/* `lines` is a power of two: a full-period linear congruential generator visits each once a pass. */
static uint64_t scatter(const char *memory, size_t lines, long passes)
{
    uint64_t a = 0, at = seed;
    for (long pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < lines; i++) {
            at = at * 6364136223846793005u + 1442695040888963407u;
            a += *(const volatile uint64_t *)(memory + ((at >> 20) & (lines - 1)) * LINE);
        }
    return a;
}

static uint64_t pages(const char *memory, long passes)
{
    uint64_t a = 0;
    for (long pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < PAGES; i++)
            a += *(const volatile uint64_t *)(memory + i * (PAGE + LINE));
    return a;
}

static size_t power_of_two_below(size_t n)
{
    size_t p = 1;
    while (2 * p <= n)
        p *= 2;
    return p;
}

int main(int count, char **sizes)
{
    const long n = 1 << 20;
    const size_t most = (size_t)128 << 20;
    static uint64_t small[2048];
    MEASURE("warm_up", n, for (int i = 0; i < 20; i++) result += operations(n, number()));
    MEASURE("operation", n, result += operations(n, number()));
    MEASURE("chain", n, result += chain(n, number()));
    MEASURE("forward", n, forward(n, (volatile double *)small, number()));
    MEASURE("division", n, result += divisions(n, number()));
    MEASURE("call", n / 8, result += calls(n / 8, number()));
    MEASURE("load", n, result += (double)loads(n, small));
    MEASURE("store", n, stores(n, small));
    MEASURE("issue", n, result += (double)issues(n, seed));
    MEASURE("entry", n / 8, result += (double)entries(n / 8, seed));
    char *memory = aligned_alloc(PAGE, most);
    if (memory == NULL)
        return 1;
    memset(memory, 1, most);
    MEASURE("page", (size_t)PAGES * 20, result += (double)pages(memory, 20));
    for (int level = 1; level <= count; level++) {
        size_t inner = level > 1 ? (size_t)strtoull(sizes[level - 1], NULL, 10) : 0;
        size_t outer = level < count ? (size_t)strtoull(sizes[level], NULL, 10) : most;
        size_t bytes = level < count ? (outer / 2 > 2 * inner ? outer / 2 : outer * 3 / 4) : 4 * inner;
        size_t lines = power_of_two_below((bytes < most ? bytes : most) / LINE);
        long passes = (long)((1 << 18) / lines) + 1;
        char name[32];
        snprintf(name, sizeof name, "stream %d", level - 1);
        MEASURE(name, lines * (size_t)passes, result += (double)stream(memory, lines, passes));
        snprintf(name, sizeof name, "scatter %d", level - 1);
        MEASURE(name, lines * (size_t)passes, result += (double)scatter(memory, lines, passes));
    }
    free(memory);
    return 0;
}
