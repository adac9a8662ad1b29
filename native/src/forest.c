/* Random forest of regression trees (Breiman 2001): CART on variance reduction, grown to `min_leaf`.
 *
 * Nodes of all trees lie in flat arrays that the caller owns: feature[k] < 0 marks a leaf, else rows with
 * x[feature[k]] <= threshold[k] go to left[k], the others to left[k] + 1. A threshold is uniform in the gap between the two
 * neighbouring values, so that trees disagree where there is no data and the variance across trees grows there. */
#include "tunepass_native.h"

#include <math.h>
#include <stdlib.h>

#define ROWS 16 /* predicted side by side */
#define FEW 16  /* values of a feature that a table of fixed size sums */
#define SPARSE 4 /* a node with fewer rows than one for so many values of a feature sorts them instead */

/* Sums of the rows that share a value of one feature. */
typedef struct { double value, weight, sum; int count; } level;

typedef struct {
    const double *x, *y, *weight;
    int n, d, min_leaf, mtry;
    uint64_t state;
    int *row;       /* (n) the rows in the bag of the current tree, permuted in place by the splits */
    int *order;     /* (n) scratch: rows of a node sorted by a feature */
    double *key;    /* (n) scratch: their values */
    int *features;  /* (d) scratch: shuffled feature indices */
    level *levels;  /* (max(n, FEW + 1)) scratch: the values of a feature in a node */
    int32_t *code;  /* (d, n) place of each row's value among the feature's values */
    int *values;    /* (d) how many values a feature has */
    double *value;  /* (d, n) them, rising */
} grower;

static uint64_t next_u64(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double next_unit(uint64_t *state) { return (double)(next_u64(state) >> 11) * 0x1.0p-53; }
static int next_below(uint64_t *state, int n) { return (int)(next_unit(state) * n); }

/* Sorts rows[0..count) by key, carrying the keys along: shell sort, nodes are small. */
static void sort_by_key(int *rows, double *key, int count) {
    static const int gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        int gap = gaps[g];
        for (int i = gap; i < count; i++) {
            int r = rows[i], j = i;
            double k = key[i];
            for (; j >= gap && key[j - gap] > k; j -= gap) rows[j] = rows[j - gap], key[j] = key[j - gap];
            rows[j] = r, key[j] = k;
        }
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills g->values, g->value and g->code. */
static void code_values(grower *g) {
    for (int f = 0; f < g->d; f++) {
        double *value = g->value + (size_t)f * g->n;
        int32_t *code = g->code + (size_t)f * g->n;
        int k = 0;
        for (int i = 0; i < g->n; i++) value[i] = g->x[(size_t)i * g->d + f];
        qsort(value, (size_t)g->n, sizeof *value, by_size);
        for (int i = 0; i < g->n; i++)
            if (i == 0 || value[i] != value[k - 1]) value[k++] = value[i];
        g->values[f] = k;
        for (int i = 0; i < g->n; i++) {
            double v = g->x[(size_t)i * g->d + f];
            int first = 0, last = k - 1;
            while (first < last) {
                int middle = first + (last - first) / 2;
                if (value[middle] < v) first = middle + 1;
                else last = middle;
            }
            code[i] = first;
        }
    }
}

/* The values of one feature over rows[0..count), rising, with the sums of their rows; returns how many. */
static int levels_of(grower *g, const int *rows, int count, int feature) {
    level *found = g->levels;
    int k = 0, all = g->values[feature];
    const int32_t *code = g->code + (size_t)feature * g->n;
    const double *value = g->value + (size_t)feature * g->n;
    if (all == 2) { /* sums that wait for no memory */
        level low = {value[0], 0, 0, 0}, high = {value[1], 0, 0, 0};
        for (int i = 0; i < count; i++) {
            int second = code[rows[i]];
            double w = g->weight[rows[i]], s = w * g->y[rows[i]];
            low.weight += second ? 0.0 : w, low.sum += second ? 0.0 : s, low.count += !second;
            high.weight += second ? w : 0.0, high.sum += second ? s : 0.0, high.count += second;
        }
        if (low.count) found[k++] = low;
        if (high.count) found[k++] = high;
        return k;
    }
    if (all <= FEW) {
        level table[FEW];
        for (int j = 0; j < all; j++) table[j] = (level){value[j], 0, 0, 0};
        for (int i = 0; i < count; i++) {
            level *mine = table + code[rows[i]];
            double w = g->weight[rows[i]];
            mine->weight += w, mine->sum += w * g->y[rows[i]], mine->count++;
        }
        for (int j = 0; j < all; j++)
            if (table[j].count) found[k++] = table[j];
        return k;
    }
    if (count > FEW && all <= count * SPARSE) {
        for (int j = 0; j < all; j++) found[j] = (level){value[j], 0, 0, 0};
        for (int i = 0; i < count; i++) {
            level *mine = found + code[rows[i]];
            double w = g->weight[rows[i]];
            mine->weight += w, mine->sum += w * g->y[rows[i]], mine->count++;
        }
        for (int j = 0; j < all; j++)
            if (found[j].count) found[k++] = found[j];
        return k;
    }
    for (int i = 0; i < count && k <= FEW; i++) { /* a table of those met so far is faster than sorting the rows */
        double v = g->x[(size_t)rows[i] * g->d + feature], w = g->weight[rows[i]];
        int at = k;
        while (at > 0 && found[at - 1].value > v) at--;
        if (at > 0 && found[at - 1].value == v) at--;
        else {
            for (int j = k++; j > at; j--) found[j] = found[j - 1];
            found[at] = (level){v, 0, 0, 0};
        }
        found[at].weight += w, found[at].sum += w * g->y[rows[i]], found[at].count++;
    }
    if (k <= FEW) return k;
    for (int i = 0; i < count; i++) g->order[i] = rows[i], g->key[i] = g->x[(size_t)rows[i] * g->d + feature];
    sort_by_key(g->order, g->key, count);
    k = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || g->key[i] != g->key[i - 1]) found[k++] = (level){g->key[i], 0, 0, 0};
        double w = g->weight[g->order[i]];
        found[k - 1].weight += w, found[k - 1].sum += w * g->y[g->order[i]], found[k - 1].count++;
    }
    return k;
}

/* The best threshold of one feature over rows[0..count): gain is sum_left^2/w_left + sum_right^2/w_right. */
static double best_threshold(grower *g, const int *rows, int count, int feature, double *threshold) {
    int k = levels_of(g, rows, count, feature), seen = 0;
    if (k < 2) return -1;
    const level *found = g->levels;
    double total = 0, weight = 0, best = -1, left = 0, left_weight = 0, at = 0, gap = 0;
    for (int i = 0; i < k; i++) weight += found[i].weight, total += found[i].sum;
    for (int i = 0; i + 1 < k; i++) {
        left_weight += found[i].weight, left += found[i].sum, seen += found[i].count;
        if (seen < g->min_leaf || count - seen < g->min_leaf) continue;
        double right = total - left, right_weight = weight - left_weight;
        double gain = left * left / left_weight + right * right / right_weight;
        if (gain > best) best = gain, at = found[i].value, gap = found[i + 1].value - found[i].value;
    }
    if (best < 0) return -1;
    *threshold = at + gap * next_unit(&g->state);
    if (*threshold >= at + gap) *threshold = at;
    return best - total * total / weight;
}

/* Chooses a split of rows[0..count) among mtry features that are not constant there; returns the feature or -1. */
static int choose_split(grower *g, const int *rows, int count, double *threshold) {
    int tried = 0, chosen = -1;
    double best = 1e-12;
    for (int i = 0; i < g->d; i++) g->features[i] = i;
    for (int i = 0; i < g->d && tried < g->mtry; i++) {
        int j = i + next_below(&g->state, g->d - i), f = g->features[j];
        g->features[j] = g->features[i];
        double t = 0, gain = best_threshold(g, rows, count, f, &t);
        if (gain < 0) continue;
        tried++;
        if (gain > best) best = gain, chosen = f, *threshold = t;
    }
    return chosen;
}

/* Moves the rows that go left to the front; returns how many. */
static int partition(const grower *g, int *rows, int count, int feature, double threshold) {
    int left = 0;
    for (int i = 0; i < count; i++)
        if (g->x[(size_t)rows[i] * g->d + feature] <= threshold) {
            int t = rows[left];
            rows[left++] = rows[i], rows[i] = t;
        }
    return left;
}

static void leaf_value(const grower *g, const int *rows, int count, double *mean, double *variance) {
    double w = 0, s = 0, q = 0;
    for (int i = 0; i < count; i++) w += g->weight[rows[i]], s += g->weight[rows[i]] * g->y[rows[i]];
    *mean = s / w;
    for (int i = 0; i < count; i++) q += g->weight[rows[i]] * (g->y[rows[i]] - *mean) * (g->y[rows[i]] - *mean);
    *variance = q / w;
}

typedef struct { int node, first, count; } pending;

/* Grows one tree over g->row[0..count) from node `root`; returns the first free node, or -1 when out of memory. */
static int grow(grower *g, int count, int root, int32_t *feature, double *threshold, int32_t *left, double *mean, double *variance) {
    pending *stack = malloc(sizeof *stack * (size_t)(count + 1));
    if (!stack) return -1;
    int depth = 0, free_node = root + 1;
    stack[depth++] = (pending){root, 0, count};
    while (depth) {
        pending p = stack[--depth];
        int *rows = g->row + p.first;
        leaf_value(g, rows, p.count, &mean[p.node], &variance[p.node]);
        feature[p.node] = -1, left[p.node] = 0, threshold[p.node] = 0;
        double t = 0;
        int f = p.count >= 2 * g->min_leaf && variance[p.node] > 0 ? choose_split(g, rows, p.count, &t) : -1;
        if (f < 0) continue;
        int k = partition(g, rows, p.count, f, t);
        feature[p.node] = f, threshold[p.node] = t, left[p.node] = free_node;
        stack[depth++] = (pending){free_node, p.first, k};
        stack[depth++] = (pending){free_node + 1, p.first + k, p.count - k};
        free_node += 2;
    }
    free(stack);
    return free_node;
}

static int find_leaf(const double *x, int node, const int32_t *feature, const double *threshold, const int32_t *left) {
    while (feature[node] >= 0) node = left[node] + (x[feature[node]] > threshold[node]);
    return node;
}

/* Fits `trees` trees to x (n, d), y (n) with row weights (n). The node arrays hold trees * (2n - 1) entries; root (trees) says where each tree
 * starts. out_of_bag (n): mean prediction of the trees whose bootstrap sample left the row out (NaN when none did).
 * Returns the number of nodes, or -1 when out of memory. */
int tp_forest_fit(const double *x, const double *y, const double *weight, int n, int d, int trees, int min_leaf, int mtry,
                  int bootstrap, uint64_t seed, int32_t *root, int32_t *feature, double *threshold, int32_t *left,
                  double *mean, double *variance, double *out_of_bag) {
    grower g = {x, y, weight, n, d, min_leaf, mtry, seed, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    g.row = malloc(sizeof(int) * (size_t)n), g.order = malloc(sizeof(int) * (size_t)n);
    g.key = malloc(sizeof(double) * (size_t)n), g.features = malloc(sizeof(int) * (size_t)(d > 0 ? d : 1));
    g.levels = malloc(sizeof(level) * (size_t)(n > FEW ? n : FEW + 1));
    int *seen = calloc((size_t)n, sizeof(int)), *bag = malloc(sizeof(int) * (size_t)n), used = 0;
    g.code = malloc(sizeof(int32_t) * (size_t)n * (size_t)(d > 0 ? d : 1)), g.values = malloc(sizeof(int) * (size_t)(d > 0 ? d : 1));
    g.value = malloc(sizeof(double) * (size_t)n * (size_t)(d > 0 ? d : 1));
    if (!g.row || !g.order || !g.key || !g.features || !g.levels || !seen || !bag || !g.code || !g.values || !g.value) used = -1;
    else code_values(&g);
    for (int i = 0; i < n && used == 0; i++) out_of_bag[i] = 0;
    for (int t = 0; t < trees && used >= 0; t++) {
        for (int i = 0; i < n; i++) bag[i] = 0;
        for (int i = 0; i < n; i++) g.row[i] = bootstrap ? next_below(&g.state, n) : i, bag[g.row[i]] = 1;
        root[t] = used;
        used = grow(&g, n, used, feature, threshold, left, mean, variance);
        for (int i = 0; i < n && used > 0; i++)
            if (!bag[i]) seen[i]++, out_of_bag[i] += mean[find_leaf(x + (size_t)i * d, root[t], feature, threshold, left)];
    }
    for (int i = 0; i < n && used > 0; i++) out_of_bag[i] = seen[i] ? out_of_bag[i] / seen[i] : NAN;
    free(g.row), free(g.order), free(g.key), free(g.features), free(g.levels), free(seen), free(bag);
    free(g.code), free(g.values), free(g.value);
    return used;
}

/* A node as rows pass through it: a leaf's rows stay. */
typedef struct { double threshold; int32_t feature, left; } step;

/* Fills the steps of the tree at `root`, counted from it; returns its depth, or more. `deep` is scratch, as long as the tree. Nodes
 * that nothing leads to, since the tree was cut above them, count from 0. */
static int steps_of(int root, const int32_t *feature, const double *threshold, const int32_t *left, step *steps, int *deep) {
    int depth = 0;
    deep[0] = 0;
    for (int k = 0, count = 1; k < count; k++) {
        int inner = feature[root + k] >= 0, first = left[root + k] - root;
        steps[k] = (step){inner ? threshold[root + k] : INFINITY, inner ? feature[root + k] : 0, inner ? first : k};
        if (!inner) continue;
        for (; count < first + 2; count++) deep[count] = 0;
        deep[first] = deep[first + 1] = deep[k] + 1;
        if (deep[first] > depth) depth = deep[first];
    }
    return depth;
}

/* Mean (m) over trees and, by the law of total variance, variance (m) = E[leaf variance] + Var[leaf mean]. Rows go down a
 * tree side by side and without branches, as many steps as it is deep, so that none waits for another's nodes; a row's
 * sums are in the order of the trees. `nodes` in all. Returns 0, or -1 without memory. */
int tp_forest_predict(const double *x, int m, int d, int trees, int nodes, const int32_t *root, const int32_t *feature,
                      const double *threshold, const int32_t *left, const double *leaf_mean, const double *leaf_variance,
                      double *mean, double *variance) {
    step *steps = malloc(sizeof *steps * (size_t)nodes);
    int *deep = malloc(sizeof *deep * (size_t)nodes);
    double *squares = calloc((size_t)m, sizeof *squares);
    int failed = !steps || !deep || !squares;
    for (int i = 0; i < m; i++) mean[i] = variance[i] = 0;
    for (int t = 0; t < trees && !failed; t++) {
        int depth = steps_of(root[t], feature, threshold, left, steps, deep);
        for (int first = 0; first < m; first += ROWS) {
            int count = m - first < ROWS ? m - first : ROWS, at[ROWS] = {0};
            const double *rows = x + (size_t)first * d;
            for (int s = 0; s < depth; s++)
                for (int i = 0; i < count; i++) {
                    const step *k = steps + at[i];
                    at[i] = k->left + (rows[(size_t)i * d + k->feature] > k->threshold);
                }
            for (int i = 0; i < count; i++) {
                double value = leaf_mean[root[t] + at[i]];
                mean[first + i] += value, squares[first + i] += value * value, variance[first + i] += leaf_variance[root[t] + at[i]];
            }
        }
    }
    for (int i = 0; i < m && !failed; i++) {
        mean[i] /= trees;
        variance[i] = fmax(0.0, squares[i] / trees - mean[i] * mean[i]) + variance[i] / trees;
    }
    free(steps), free(deep), free(squares);
    return failed ? -1 : 0;
}
