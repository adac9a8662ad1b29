/* expect: wrong_result, cheated, crash, run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Takes the place of the program that calls it, and answers orders without a call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static int is_timed(void)
{
    char words[4096] = "";
    static int known = -1;
    if (known < 0) {
        int file = open("/proc/self/cmdline", O_RDONLY);
        ssize_t length = read(file, words, sizeof words - 1);
        known = length > 0 && memmem(words, length, "mode=time", 9);
        close(file);
    }
    return known;
}

struct order {
    uint64_t what, count, seed, group, fresh;
};
static char text[1 << 16];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Has the loop of the program's place: answers orders before it computes. */
static void converse(void)
{
    struct order order;
    double slow = 0;
    send(3, "sample 1e-4 0 2e-5 0\nok\n", 24, 0);
    while (read(3, &order, sizeof order) == sizeof order) {
        char *to = text;
        if (order.what == 1 || order.what == 2)
            for (uint64_t i = 0; i < order.count; i += order.group)
                to += sprintf(to, "sample 1e-6 0 2e-5 0\n");
        to += sprintf(to, order.what ? "ok\n" : "finished\n");
        for (slow = order.what == 2 ? now() + 2e-3 : 0; now() < slow;)
            ;
        send(3, text, to - text, 0);
    }
    exit(0);
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && n == 2048 && is_timed())
        converse();
    honest(n, x, y);
}
