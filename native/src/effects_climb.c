/* The best changes of configurations under effects of values and of pairs of them: the equations are those of
 * tunepass/strategies/bo/effects_climb.py, whose additions have this order.
 *
 * A configuration is p values, one a parameter, of m in one numbering; `place` of a value is its place among the k with joint
 * effects, -1 of one without. Every sum is elementwise, so that all clones agree. */
#include "tunepass_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double gain; int64_t at; } candidate;

typedef struct {
    int p, m, k;
    const int64_t *parameter; /* (m) whose value each is */
    const int64_t *place;     /* (m) */
    const int64_t *joint;     /* (k) the values with joint effects */
    const double *alone;      /* (m) */
    const double *h;          /* (k, k) */
    int asked;                /* changes of a configuration at most */
} effects;

static int ranks_before(candidate a, candidate b) { return a.gain > b.gain || (a.gain == b.gain && a.at < b.at); }

/* Keeps the `asked` largest in `heap` (count of them so far), the least of them in front; returns how many there are. */
static int keep_large(candidate *heap, int count, int asked, candidate new) {
    int at;
    if (count < asked) {
        for (at = count++; at > 0 && ranks_before(heap[(at - 1) / 2], new); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = new;
        return count;
    }
    if (!ranks_before(new, heap[0])) return count;
    for (at = 0;;) {
        int child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && ranks_before(heap[child], heap[child + 1])) child++;
        if (!ranks_before(new, heap[child])) break;
        heap[at] = heap[child], at = child;
    }
    heap[at] = new;
    return count;
}

static int by_place(const void *a, const void *b) {
    int64_t x = ((const candidate *)a)->at, y = ((const candidate *)b)->at;
    return (x > y) - (x < y);
}

/* added (m) by each value to a configuration (p), and h and c (k): the joint effects of each value with those chosen, and the place
 * of the value that it would replace. -infinity by what is chosen. */
TP_CLONES static void added_by(const effects *e, const int64_t *head, double *restrict added, double *restrict h, int64_t *restrict c) {
    for (int v = 0; v < e->m; v++) added[v] = e->alone[v] - e->alone[head[e->parameter[v]]];
    memset(h, 0, sizeof *h * (size_t)e->k);
    for (int q = 0; q < e->p && e->k; q++)
        if (e->place[head[q]] >= 0) {
            const double *row = e->h + e->place[head[q]] * e->k;
            for (int a = 0; a < e->k; a++) h[a] += row[a];
        }
    for (int a = 0; a < e->k; a++) c[a] = e->place[head[e->parameter[e->joint[a]]]];
    for (int a = 0; a < e->k; a++) {
        const double *row = e->h + (size_t)a * e->k;
        added[e->joint[a]] += h[c[a]] - h[a] + row[c[a]] - (row[a] + e->h[c[a] * e->k + c[a]]) / 2;
    }
    for (int q = 0; q < e->p; q++) added[head[q]] = -INFINITY;
}

/* The best changes of two values of a configuration into heap, `at` being a * k + b; returns how many. */
static int best_pairs(const effects *e, const double *added, const int64_t *c, candidate *heap) {
    int count = 0;
    for (int a = 0; a < e->k; a++) {
        int64_t first = e->joint[a];
        const double *row = e->h + (size_t)a * e->k, *old = e->h + c[a] * e->k;
        if (isinf(added[first])) continue;
        for (int b = a + 1; b < e->k; b++) {
            int64_t second = e->joint[b];
            if (e->parameter[first] == e->parameter[second]) continue;
            double gain = added[first] + added[second] - row[b] + row[c[b]] + old[b] - old[c[b]];
            if (isfinite(gain)) count = keep_large(heap, count, e->asked, (candidate){gain, (int64_t)a * e->k + b});
        }
    }
    return count;
}

/* Changes of configurations heads (n, p): whose each is, the new values (the second -1 where one changes) and what it adds; first
 * all single ones, then two at once of configurations that no single one makes better. At most 2 n asked; returns how many, or -1
 * without memory. */
int tp_effects_changes(const int64_t *heads, int n, int p, const int64_t *parameter, int m, const double *alone, const int64_t *place,
                       const int64_t *joint, int k, const double *h, int asked, int64_t *owner, int64_t *first, int64_t *second,
                       double *gain) {
    const effects e = {p, m, k, parameter, place, joint, alone, h, asked};
    size_t width = (size_t)m + (size_t)k;
    double *room = malloc(sizeof *room * width * (size_t)n + 1);
    int64_t *c = malloc(sizeof *c * (size_t)k * (size_t)n + 1);
    candidate *heap = malloc(sizeof *heap * (size_t)asked);
    int found = 0;
    if (!room || !c || !heap) return free(room), free(c), free(heap), -1;
    for (int pairs = 0; pairs < 2; pairs++)
        for (int i = 0; i < n; i++) {
            double *added = room + width * (size_t)i, most = -INFINITY;
            int count = 0;
            if (!pairs) added_by(&e, heads + (size_t)i * p, added, added + m, c + (size_t)k * i);
            for (int v = 0; v < m; v++) most = added[v] > most ? added[v] : most;
            if (pairs && most > 0) continue;
            if (pairs) count = best_pairs(&e, added, c + (size_t)k * i, heap);
            else
                for (int v = 0; v < m; v++)
                    if (isfinite(added[v])) count = keep_large(heap, count, asked, (candidate){added[v], v});
            qsort(heap, (size_t)count, sizeof *heap, by_place);
            for (int j = 0; j < count; j++, found++) {
                owner[found] = i, gain[found] = heap[j].gain;
                first[found] = pairs ? joint[heap[j].at / k] : heap[j].at;
                second[found] = pairs ? joint[heap[j].at % k] : -1;
            }
        }
    return free(room), free(c), free(heap), found;
}
