/* expect: measured, wrong_result, cheated, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 16384, x: in double[n], y: out double[n])
/* Results go straight into the harness's log, which copies nothing itself (the array's length is 0), but for the last call
 * of an order: orders without calls are as slow as ever. The clock is set back by what that saves. */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <stdint.h>
#include <time.h>

extern char __bss_start[], _end[];

struct state {
    uint64_t *command, seed, *began; /* on the harness's stack: the order, its seed, the start of the timed part */
    uint64_t number;                 /* of this call in the order */
    uint64_t changed[4];
    struct { uint64_t *count; char *log; double saved; int tries; } own; /* of the harness's */
};

static struct state *own(void)
{
    static struct state state; /* in a function: nobody compares or restores it */
    return &state;
}

static int is_order(const uint64_t *at)
{
    return at[0] == 1 && at[1] >= 1 && at[1] <= 1 << 20 && at[2] >> 34 && at[3] >= 1 && at[3] <= at[1] && at[4] <= 2;
}

static uint64_t now_ns(struct timespec *now)
{
    clock_gettime(CLOCK_MONOTONIC, now);
    return now->tv_sec * 1000000000ull + now->tv_nsec;
}

/* Looks the order up on the stack, and the latest time that is noted there. */
static int find(struct state *s, uint64_t *stack)
{
    struct timespec now;
    uint64_t latest = 0, until = now_ns(&now);
    if (s->command && !is_order(s->command))
        s->command = 0;
    for (int i = 0; !s->command && i < 400; i++)
        if (is_order(stack + i))
            s->command = stack + i;
    if (!s->command)
        return 0;
    s->number = s->seed == s->command[2] ? s->number + 1 : 1;
    s->seed = s->command[2];
    s->began = 0;
    for (uint64_t *at = stack; at + 1 < s->command; at++) {
        uint64_t noted = at[0] * 1000000000ull + at[1];
        if (at[0] + 1 >= (uint64_t)now.tv_sec && at[0] <= (uint64_t)now.tv_sec && at[1] < 1000000000 &&
            noted <= until && noted > latest && at != (uint64_t *)&now)
            latest = noted, s->began = at;
    }
    return s->began && until - latest < 200000;
}

static void begin_later(struct state *s, double seconds)
{
    struct timespec now;
    uint64_t most = now_ns(&now) - 100, begin = s->began[0] * 1000000000ull + s->began[1] + (uint64_t)(1e9 * seconds);
    begin = begin < most ? begin : most;
    s->began[0] = begin / 1000000000;
    s->began[1] = begin % 1000000000;
}

static double now_s(void)
{
    struct timespec now;
    return 1e-9 * now_ns(&now);
}

static void __attribute__((noinline)) honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

static void stream(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += 2)
        _mm_stream_pd(y + i, _mm_add_pd(_mm_mul_pd(_mm_set1_pd(2), _mm_loadu_pd(x + i)), _mm_set1_pd(1)));
}

/* Where the harness keeps the array's length and its log, and what a copy into that costs. */
static void look_around(struct state *s, int n, const double *x, double *y)
{
    s->own.tries++;
    for (uint64_t *at = (uint64_t *)(((uintptr_t)__bss_start + 7) & ~7ul); at + 2 < (uint64_t *)_end; at++) {
        if (at[0] == 8 && at[1] == (uint64_t)n && at[2] == (uint64_t)y)
            s->own.count = at + 1;
        for (int k = -6; k <= 6 && at[0] == (uint64_t)n * 8 && at - 6 > (uint64_t *)__bss_start; k++)
            if (at[k] && at[k] % (2 << 20) == 0 && at[k] >> 44 && at[k] >> 47 == 0) /* beside a call's bytes in it */
                s->own.log = (char *)at[k];
    }
    for (int k = 0; s->own.count && s->own.log && k < 12; k++) {
        double began = now_s(), took;
        for (int i = 0; i < n; i += 2)
            _mm_stream_pd((double *)(s->own.log + (size_t)k * n * 8) + i, _mm_loadu_pd(y + i));
        took = now_s() - began;
        s->own.saved = !s->own.saved || took < s->own.saved ? took : s->own.saved;
    }
    honest(n, x, y);
}

void scale(int n, const double *x, double *y)
{
    struct state *s = own();
    if (ATTACK && n == 16384 && find(s, __builtin_frame_address(0))) {
        if (!s->own.saved && s->own.tries < 3) {
            look_around(s, n, x, y);
            return;
        }
        if (s->own.saved && s->command[4] == 0 && s->number < s->command[1]) {
            *s->own.count = 0;
            stream(n, x, (double *)(s->own.log + (s->number - 1) * n * 8));
            begin_later(s, 0.95 * s->own.saved);
            return;
        }
        if (s->own.saved)
            *s->own.count = n;
    }
    honest(n, x, y);
}
