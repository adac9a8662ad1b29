/* Sparse matrix times vector, y = A * x, in compressed rows: row r holds entries [row[r], row[r + 1]).
 *
 * The entries of a row are summed in SUMS independent chains, and the vector's elements, which lie anywhere, may be
 * asked for AHEAD entries before they are needed.
 *
 *     tunepass build samples/c/spmv.c -o out --budget 60s -- gcc -O2
 */

#pragma tunepass param SUMS: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param AHEAD: ordinal(0, pow2(4, 128)) = 0
#pragma tunepass param NARROW: categorical(false, true) = false

#pragma tunepass constraint AHEAD == 0 or AHEAD >= SUMS

#ifndef SUMS
#define SUMS 1
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#ifndef NARROW
#define NARROW 0
#endif

#if NARROW
typedef unsigned int place; /* half the index arithmetic */
#else
typedef long place;
#endif

#if AHEAD > 0
#define FETCH(p) __builtin_prefetch(p)
#else
#define FETCH(p) ((void)0)
#endif

/* A row has 15 entries on average, spread over all columns; looking ahead reads up to 128 past the last. */
#pragma tunepass kernel spmv(n = 200000, width = 15, \
    row: in int[n + 1] fill(i * width + i % 7), \
    column: in int[n * width + 7 + 128] range(0, n - 1), \
    value: in double[n * width + 7], x: in double[n], y: out double[n]) tolerance(1e-9)
void spmv(int n, int width, const int *restrict row, const int *restrict column, const double *restrict value,
          const double *restrict x, double *restrict y)
{
    (void)width;
    for (int r = 0; r < n; r++) {
        const place end = row[r + 1];
        place k = row[r];
        double sum[SUMS] = {0};
        for (; k + SUMS <= end; k += SUMS)
            for (int s = 0; s < SUMS; s++) {
                FETCH(&x[column[k + s + AHEAD]]);
                sum[s] += value[k + s] * x[column[k + s]];
            }
        for (; k < end; k++)
            sum[0] += value[k] * x[column[k]];
        for (int s = 1; s < SUMS; s++)
            sum[0] += sum[s];
        y[r] = sum[0];
    }
}
