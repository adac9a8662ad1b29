/* Nondominated rows and exact hypervolumes. Losses: smaller is better. Rows come sorted, see each function. */
#include <stdlib.h>
#include <string.h>

#include "tunepass_native.h"

/* Does a dominate b? Rows are in lexicographic order with a before b, so a != b and a <= b everywhere says it. */
static int dominates(const double *a, const double *b, int64_t m) {
    int differs = 0;
    for (int64_t j = 0; j < m; j++) {
        if (a[j] > b[j])
            return 0;
        differs |= a[j] < b[j];
    }
    return differs;
}

/* keep[i] = 1 where no row dominates row i. Rows (n, m) are in lexicographic order: only an earlier row can dominate a
   later one, and a dominated row is dominated by a kept one. Equal rows are all kept. -1: out of memory. */
int tp_pareto_mask(const double *rows, int64_t n, int64_t m, uint8_t *keep) {
    int64_t *kept = malloc((size_t)(n > 0 ? n : 1) * sizeof *kept);
    if (!kept)
        return -1;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + i * m;
        int dominated = 0;
        if (m == 2 && k > 0) { /* the last kept row has the smallest second loss so far */
            dominated = dominates(rows + kept[k - 1] * 2, row, 2);
        } else {
            for (int64_t j = k - 1; j >= 0 && !dominated; j--)
                dominated = dominates(rows + kept[j] * m, row, m);
        }
        keep[i] = (uint8_t)!dominated;
        if (!dominated)
            kept[k++] = i;
    }
    free(kept);
    return 0;
}

/* Area dominated by rows (n, 2), sorted by the first loss, below the reference (rx, ry); every row is below it. */
double tp_pareto_area(const double *rows, int64_t n, double rx, double ry) {
    double area = 0.0, top = ry;
    for (int64_t i = 0; i < n; i++)
        if (rows[2 * i + 1] < top) {
            area += (rx - rows[2 * i]) * (top - rows[2 * i + 1]);
            top = rows[2 * i + 1];
        }
    return area;
}

/* Volume dominated by rows (n, 3), sorted by the third loss, below `reference` (3,). Sweeps the third axis with the
   staircase of the first two, sorted by x with y falling: O(n) a row, O(n) memory. -1: out of memory. */
int tp_pareto_volume(const double *rows, int64_t n, const double *reference, double *volume) {
    double *stair = malloc((size_t)(n > 0 ? n : 1) * 2 * sizeof *stair);
    if (!stair)
        return -1;
    double area = 0.0, sum = 0.0;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = rows[3 * i], y = rows[3 * i + 1], next = i + 1 < n ? rows[3 * i + 5] : reference[2];
        int64_t first = 0; /* steps before `first` have a smaller or equal x */
        for (int64_t hi = k; first < hi;) {
            int64_t mid = first + (hi - first) / 2;
            if (stair[2 * mid] <= x)
                first = mid + 1;
            else
                hi = mid;
        }
        double top = first > 0 ? stair[2 * first - 1] : reference[1]; /* height of the uncovered strip above x */
        if (y < top) {
            int64_t last = first; /* steps [first, last) are covered by the new one */
            double left = x;
            while (last < k && stair[2 * last + 1] >= y) {
                area += (stair[2 * last] - left) * (top - y);
                left = stair[2 * last];
                top = stair[2 * last + 1];
                last++;
            }
            area += ((last < k ? stair[2 * last] : reference[0]) - left) * (top - y);
            if (first > 0 && stair[2 * first - 2] == x) /* the same x, lower: the old step has no width left */
                first--;
            memmove(stair + 2 * first + 2, stair + 2 * last, (size_t)(k - last) * 2 * sizeof *stair);
            stair[2 * first] = x;
            stair[2 * first + 1] = y;
            k += 1 - (last - first);
        }
        sum += area * (next - rows[3 * i + 2]);
    }
    free(stair);
    *volume = sum;
    return 0;
}
