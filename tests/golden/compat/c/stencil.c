/* Nine-point smoothing of an n x n grid, `steps` times, tiled and shared among threads.
 *
 * Tuned together: the tile's shape, how OpenMP deals the tiles out, and the compiler's own flags.
 *
 *     tunepass build samples/c/stencil.c -o out --budget 60s -- gcc -fopenmp
 */

#pragma tunepass param ROWS: ordinal(pow2(1, 256)) = 16 log
#pragma tunepass param COLUMNS: ordinal(pow2(8, 1024)) = 16 log
#pragma tunepass param SCHEDULE: categorical("static", "dynamic", "guided") = "static"
#pragma tunepass param CHUNK: ordinal(pow2(1, 64)) = 1 log
#pragma tunepass param OPT: categorical("-O2", "-O3", "-O3 -march=native") = "-O2" prior(1, 1, 2) flag

#pragma tunepass constraint ROWS * COLUMNS >= 64

#ifndef ROWS
#define ROWS 16
#endif
#ifndef COLUMNS
#define COLUMNS 16
#endif
#ifndef SCHEDULE
#define SCHEDULE static
#endif
#ifndef CHUNK
#define CHUNK 1
#endif

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* One tile: rows [i0, i1), columns [j0, j1). */
static void tile(int n, int i0, int i1, int j0, int j1, const double *restrict from, double *restrict to)
{
    for (int i = i0; i < i1; i++) {
        const double *up = from + (i - 1) * n, *here = from + i * n, *down = from + (i + 1) * n;
        for (int j = j0; j < j1; j++)
            to[i * n + j] = 0.25 * here[j] + 0.125 * (up[j] + down[j] + here[j - 1] + here[j + 1])
                            + 0.0625 * (up[j - 1] + up[j + 1] + down[j - 1] + down[j + 1]);
    }
}

/* The border keeps its values; the result is in `a` when `steps` is even, else in `b`. */
#pragma tunepass kernel smooth(n = 1000, steps = 8, a: inout double[n*n], b: inout double[n*n]) tolerance(1e-9)
void smooth(int n, int steps, double *a, double *b)
{
    for (int step = 0; step < steps; step++) {
        const double *from = step % 2 ? b : a;
        double *to = step % 2 ? a : b;
#pragma omp parallel for collapse(2) schedule(SCHEDULE, CHUNK)
        for (int i = 1; i < n - 1; i += ROWS)
            for (int j = 1; j < n - 1; j += COLUMNS)
                tile(n, i, min(i + ROWS, n - 1), j, min(j + COLUMNS, n - 1), from, to);
    }
}
