/* A fixed part of every generated harness: further sets of the kernel's arrays, for calls beside which nothing is done.
 * After outputs.h. */

/* Before an order the inputs of each of its calls are drawn, into a set of arrays of its own, and its outputs stay there.
 * So a call with inputs that are all new needs neither filling, restoring nor copying while the other end's clock runs:
 * what is done beside it cannot be left out to make it seem fast. */
#define TP_POOL_BYTES ((size_t)1 << 20) /* of all sets together: calls whose arrays leave the second cache vary widely */
#define TP_POOL_SETS 256
static size_t tp_pool_sets; /* 0: the arrays cannot be others in each call; 1: the kernel's own alone */
static size_t tp_pool_stride, tp_pool_bytes, tp_pool_offset[TP_MAX_ARRAYS];
static unsigned char *tp_pool, *tp_pool_own[TP_MAX_ARRAYS];

static int tp_is_pooled(const tp_array *array) {
    return array->direction == TP_IN || array->direction == TP_WORK || tp_is_output(array);
}

/* May each call have arrays of its own? Not where a variable of the source says where they are; nor where a container
 * or a setup does (main.h). */
static int tp_may_pool(void) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (array->fixed || array->place || array->row || array->pieces || array->direction == TP_ROWS) return 0;
        if (tp_is_output(array) && array->leaves) return 0;
    }
    return 1;
}

/* Set 0 is the kernel's own arrays. Those of others have the same place in their pages: what depends on that is alike. */
static void tp_make_pool(void) {
    const size_t page = 4096;
    if (!tp_may_pool()) return;
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        const size_t bytes = array->size * array->count;
        tp_pool_own[i] = array->data;
        if (!tp_is_pooled(array)) continue;
        tp_pool_offset[i] = tp_pool_stride + (uintptr_t)array->data % page;
        tp_pool_stride = (tp_pool_offset[i] + bytes + page - 1) / page * page;
        tp_pool_bytes += bytes;
    }
    if (!tp_pool_bytes) return;
    tp_pool_sets = TP_POOL_BYTES / tp_pool_bytes;
    if (tp_pool_sets > TP_POOL_SETS) tp_pool_sets = TP_POOL_SETS;
    if (tp_pool_sets < 1) tp_pool_sets = 1;
    const size_t large = (size_t)2 << 20, whole = ((tp_pool_sets - 1) * tp_pool_stride + large - 1) / large * large;
    void *memory = NULL;
    if (posix_memalign(&memory, large, whole) != 0) tp_fail(TP_EXIT_MEMORY, "no memory for further arrays");
#ifdef MADV_HUGEPAGE
    madvise(memory, whole, MADV_HUGEPAGE);
#endif
    memset(memory, 0, whole);
    tp_pool = (unsigned char *)memory;
    tp_hold("pool %zu\n", tp_pool_sets);
    for (int i = 0; i < tp_array_count; i++)
        if (tp_is_output(&tp_arrays[i]))
            tp_hold("set %llu %llu %zu %zu\n", (unsigned long long)(uintptr_t)tp_pool_own[i],
                    (unsigned long long)(uintptr_t)(tp_pool + tp_pool_offset[i]), tp_pool_stride,
                    tp_arrays[i].size * tp_arrays[i].count);
    tp_send();
}

static void tp_use_set(size_t set) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_is_pooled(&tp_arrays[i]))
            tp_arrays[i].data = set ? tp_pool + (set - 1) * tp_pool_stride + tp_pool_offset[i] : tp_pool_own[i];
}

/* The inputs of so many calls, in a set each. What the kernel's own arrays hold afterwards has to be filled anew. */
static void tp_fill_sets(uint64_t count, uint64_t seed, uint64_t step) {
    tp_prepare();
    for (size_t set = 0; set < count && set < tp_pool_sets; set++) {
        tp_use_set(set);
        seed += step;
        tp_fill(seed);
        tp_poison(1);
        tp_vary(seed);
        tp_change_count = 0; /* nothing is put back */
    }
    tp_use_set(0);
}
