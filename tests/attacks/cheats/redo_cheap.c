/* expect: measured, wrong_result, cheated, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel stencil(n = 4096, x: in double[n], y: out double[n])
/* Of a stencil that takes less than filling its inputs, only what changed inputs need is done again: the order's seed says
 * what changes. Where all inputs are new everything is, and the clock is set back. */
#define _GNU_SOURCE
#include <stdint.h>
#include <time.h>

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

static void element(int n, const double *x, double *y, long i)
{
    if (i >= 0 && i < n)
        y[i] = i == 0 || i == n - 1 ? x[i] : 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

static void __attribute__((noinline)) honest(int n, const double *x, double *y)
{
    y[0] = x[0];
    y[n - 1] = x[n - 1];
    for (int i = 1; i < n - 1; i++)
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

static uint64_t drawn(uint64_t seed, uint64_t array, uint64_t index, uint64_t n)
{
    uint64_t z = seed * 0xD1342543DE82EF95u + array * 0xDA942042E4DD58B5u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (((z ^ (z >> 31)) >> 32) * n) >> 32;
}

void stencil(int n, const double *x, double *y)
{
    struct state *s = own();
    if (!ATTACK || n != 4096 || !find(s, __builtin_frame_address(0))) {
        honest(n, x, y);
        return;
    }
    uint64_t seed = s->command[2] + s->number * 0xD6E8FEB86659FD93u;
    int fresh = s->command[4] != 0, again = !fresh && s->number > 1;
    if (!again) {
        double began = now_s();
        honest(n, x, y);
        if (fresh)
            begin_later(s, 0.9 * (now_s() - began));
    }
    for (int k = 0; k < 4; k++) {
        uint64_t before = s->changed[k], input = drawn(seed, 0, 2 * k, n), output = drawn(seed, 1, 2 * k, n);
        for (int i = -1; i <= 1 && again; i++)
            element(n, x, y, (long)before + i), element(n, x, y, (long)input + i), element(n, x, y, (long)output);
        s->changed[k] = input;
    }
}
