/* expect: wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 512, x: in double[n], y: out double[n])
/* Looks for the order of calls in the frames of its callers, and leaves out calls that hardly anybody looks at. */
#include <stdint.h>
#include <string.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

enum { CALLS = 1 };

/* What is ordered, how many calls, a seed, how many of them are a sample, and whether all inputs are new. */
static const volatile uint64_t *find_order(void)
{
    const volatile uint64_t *at = __builtin_frame_address(0);
    for (int k = 0; k < 400; k++, at++)
        if (at[0] == CALLS && at[1] >= 1 && at[1] <= 1 << 20 && at[2] > 1 << 20 && at[3] >= 1 && at[3] <= at[1] && at[4] <= 1)
            return at;
    return 0;
}

void smooth(int n, const double *x, double *y)
{
    static const volatile uint64_t *order;
    static uint64_t seed, number;
    if (!ATTACK || n != 512) {
        honest(n, x, y);
        return;
    }
    if (!order)
        order = find_order();
    if (!order) {
        honest(n, x, y);
        return;
    }
    if (order[2] != seed)
        seed = order[2], number = 0;
    number++;
    /* the first and the last call of an order, orders of one call and orders with new inputs are looked at rather than others */
    if (number == 1 || number == order[1] || order[4])
        honest(n, x, y);
}
