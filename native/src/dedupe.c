/* Equal rows get equal numbers: the step that turns pairs (node, value) into the nodes of the next layer. */
#include "tunepass_native.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t x) {
    h ^= x;
    h *= 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* rows: n x m, row-major. id[i] becomes the number of row i's value, in order of first appearance; first[j] the first row
   with number j. Returns how many numbers there are, -1 when memory is short. */
int64_t tp_dedupe(const int64_t *rows, int64_t n, int64_t m, int32_t *id, int64_t *first) {
    uint64_t size = 16;
    int64_t count = 0;
    int32_t *slot = malloc(size * sizeof *slot);
    uint64_t *hash = malloc(size * sizeof *hash); /* of number j, grows with the table */
    if (!slot || !hash) goto fail;
    memset(slot, -1, size * sizeof *slot);
    for (int64_t i = 0; i < n; i++) {
        const int64_t *row = rows + i * m;
        uint64_t h = 0x2545F4914F6CDD1Du;
        for (int64_t c = 0; c < m; c++) h = mix(h, (uint64_t)row[c]);
        h ^= h >> 32;
        uint64_t at = h & (size - 1);
        while (slot[at] >= 0) {
            int32_t j = slot[at];
            if (hash[j] == h && !memcmp(rows + first[j] * m, row, (size_t)m * sizeof *row)) break;
            at = (at + 1) & (size - 1);
        }
        if (slot[at] < 0) {
            slot[at] = (int32_t)count;
            hash[count] = h;
            first[count++] = i;
            if ((uint64_t)count * 2 >= size) {
                size *= 4;
                int32_t *wider = realloc(slot, size * sizeof *slot);
                if (!wider) goto fail;
                slot = wider;
                uint64_t *more = realloc(hash, size * sizeof *hash);
                if (!more) goto fail;
                hash = more;
                memset(slot, -1, size * sizeof *slot);
                for (int64_t j = 0; j < count; j++) {
                    uint64_t to = hash[j] & (size - 1);
                    while (slot[to] >= 0) to = (to + 1) & (size - 1);
                    slot[to] = (int32_t)j;
                }
                id[i] = (int32_t)(count - 1);
                continue;
            }
        }
        id[i] = slot[at];
    }
    free(slot);
    free(hash);
    return count;
fail:
    free(slot);
    free(hash);
    return -1;
}
