/* Walks through a layered diagram: which rows are paths from the root. */
#include "tunepass_native.h"

/* rows (n, layers) of value indices. Arcs of layer i: those of node v are [start[i][v], start[i][v + 1]), by rising value;
 * inside (n) becomes 1 where every step has an arc. */
void tp_diagram_contains(const int64_t *rows, int64_t n, int64_t layers, const int64_t *const *start, const int32_t *const *value,
                         const int32_t *const *child, uint8_t *inside) {
    for (int64_t i = 0; i < n; i++) {
        const int64_t *row = rows + i * layers;
        int64_t node = 0;
        inside[i] = 1;
        for (int64_t at = 0; at < layers; at++) {
            int64_t lo = start[at][node], end = start[at][node + 1], hi = end;
            while (lo < hi) {
                int64_t middle = lo + (hi - lo) / 2;
                if (value[at][middle] < row[at]) lo = middle + 1;
                else hi = middle;
            }
            if (lo == end || value[at][lo] != row[at]) {
                inside[i] = 0;
                break;
            }
            node = child[at][lo];
        }
    }
}
