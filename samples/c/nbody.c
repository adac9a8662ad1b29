/* A whole program: n bodies under gravity, all pairs. It prints how long the steps took, and the energy, which a
 * correct program keeps.
 *
 *     tunepass build samples/c/nbody.c -o out --budget 60s -- gcc -O2 -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma tunepass param BLOCK: ordinal(pow2(16, 2048)) = 16 log
#pragma tunepass param LANES: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param MATH: categorical("", "-fno-math-errno", "-ffast-math") = "" flag
#pragma tunepass constraint BLOCK % LANES == 0
#pragma tunepass run "./a.out 2000" metric "time: {time} ms"

#ifndef BLOCK
#define BLOCK 16
#endif
#ifndef LANES
#define LANES 1
#endif

#define LIMIT 8192 /* bodies at most */
#define STEPS 3

static double x[3][LIMIT], v[3][LIMIT], mass[LIMIT];
static const double softening = 1e-3, dt = 1e-4;

static double uniform(void)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Add the pull of bodies [j0, j1) on body i to `a`, in LANES sums side by side. */
static void pull(int i, int j0, int j1, double a[3])
{
    double sum[3][LANES] = {{0}};
    for (int j = j0; j < j1; j += LANES)
        for (int s = 0; s < LANES; s++) {
            const double dx = x[0][j + s] - x[0][i], dy = x[1][j + s] - x[1][i], dz = x[2][j + s] - x[2][i];
            const double d2 = dx * dx + dy * dy + dz * dz + softening;
            const double f = mass[j + s] / (d2 * sqrt(d2));
            sum[0][s] += f * dx;
            sum[1][s] += f * dy;
            sum[2][s] += f * dz;
        }
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < LANES; s++)
            a[c] += sum[c][s];
}

/* Bodies past n have no mass, so that a block may run over the end. */
static void step(int n)
{
    for (int j = 0; j < n; j += BLOCK)
        for (int i = 0; i < n; i++) {
            double a[3] = {0};
            pull(i, j, j + BLOCK, a);
            for (int c = 0; c < 3; c++)
                v[c][i] += dt * a[c];
        }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++)
            x[c][i] += dt * v[c][i];
}

static double energy(int n)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += 0.5 * mass[i] * (v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
        for (int j = 0; j < i; j++) {
            const double dx = x[0][j] - x[0][i], dy = x[1][j] - x[1][i], dz = x[2][j] - x[2][i];
            total -= mass[i] * mass[j] / sqrt(dx * dx + dy * dy + dz * dz + softening);
        }
    }
    return total;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 2000;
    if (n < 1 || n > LIMIT - 2048) {
        fprintf(stderr, "usage: %s BODIES (1 to %d)\n", argv[0], LIMIT - 2048);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++)
            x[c][i] = uniform();
        mass[i] = uniform() / n;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int s = 0; s < STEPS; s++)
        step(n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("energy: %.9f\n", energy(n));
    printf("time: %.3f ms\n", (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6);
    return 0;
}
