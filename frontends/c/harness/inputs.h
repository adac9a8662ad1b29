/* The part of every generated harness that changes a kernel's inputs between two calls. After runtime.h. */

/* Between two calls a few elements of the inputs are drawn anew, wherever that is allowed, and a few elements of the
 * outputs are poisoned: what was computed before does not hold any more, and the caches hardly notice. */
#define TP_VARIED 4 /* elements of each array */
#define TP_VARIED_BYTES 1024 /* that an element has at most, if it is to be changed */
typedef struct {
    tp_array *array;
    size_t k;
    unsigned char bytes[TP_VARIED_BYTES];
} tp_change;

static tp_change tp_changes[TP_MAX_ARRAYS * TP_VARIED];
static int tp_change_count;

static size_t tp_pick(uint64_t bits, size_t count) {
    return count >> 32 ? (size_t)(bits % count) : (size_t)(((bits >> 32) * count) >> 32);
}

/* The inputs as they were filled, and outputs as after no call. */
static void tp_prepare(void) {
    while (tp_change_count) {
        const tp_change *change = &tp_changes[--tp_change_count];
        size_t at = change->k * change->array->size;
        memcpy(change->array->data + at, change->bytes, change->array->size);
        if (change->array->pristine) memcpy(change->array->pristine + at, change->bytes, change->array->size);
    }
    tp_restore();
}

/* Inputs that depend on the seed, after tp_prepare. */
static void tp_vary(uint64_t seed) {
    for (int i = 0; i < tp_array_count; i++) {
        tp_array *array = &tp_arrays[i];
        if (!array->count || array->size > sizeof tp_changes->bytes) continue;
        for (uint64_t j = 0; j < TP_VARIED; j++) {
            size_t k = tp_pick(tp_random(seed, (uint64_t)i, 2 * j), array->count), at = k * array->size;
            if (array->direction == TP_OUT) {
                tp_array element = *array;
                element.data = tp_element_at(array, k), element.count = 1, element.pieces = NULL;
                tp_poison_array(&element, 1);
                continue;
            }
            if (array->pieces) break; /* they are as the setup leaves them */
            tp_change *change = &tp_changes[tp_change_count];
            change->array = array, change->k = k;
            memcpy(change->bytes, array->data + at, array->size);
            if (!tp_draw(i, k, tp_random(seed, (uint64_t)i, 2 * j + 1))) break;
            if (array->pristine) memcpy(array->pristine + at, array->data + at, array->size);
            tp_change_count++;
        }
    }
}

/* All of the inputs. */
static void tp_fill_anew(uint64_t seed) {
    tp_prepare();
    tp_begin_state(seed);
    tp_fill(seed);
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].pristine) tp_keep_pristine_array(&tp_arrays[i]);
}

/* Differs for contents that differ in one word, and almost surely for others. */
static uint64_t tp_digest(const tp_array *array) {
    uint64_t lanes[4] = {1, 2, 3, 4}, rest = 5;
    size_t bytes = array->size * array->count, i = 0;
    for (; i + 32 <= bytes; i += 32)
        for (int lane = 0; lane < 4; lane++) {
            uint64_t word;
            memcpy(&word, array->data + i + 8 * lane, 8);
            lanes[lane] = (lanes[lane] ^ word) * 0x9E3779B97F4A7C15u;
            lanes[lane] ^= lanes[lane] >> 32;
        }
    for (; i < bytes; i++) rest = (rest ^ array->data[i]) * 0x9E3779B97F4A7C15u;
    for (int lane = 0; lane < 4; lane++) rest = (rest ^ lanes[lane]) * 0xBF58476D1CE4E5B9u;
    return rest;
}

static uint64_t tp_digests[TP_MAX_ARRAYS];

static void tp_keep_digests(void) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].direction == TP_IN) tp_digests[i] = tp_digest(&tp_arrays[i]);
}

static void tp_check_inputs(void) {
    tp_prepare();
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].direction == TP_IN && tp_digests[i] != tp_digest(&tp_arrays[i])) {
            tp_say("fault read_only %s\n", tp_arrays[i].name);
            _exit(TP_EXIT_FAULT);
        }
}

/* An element of each output is read: what is computed when it is looked at counts as well. */
static void tp_touch(uint64_t seed) {
    volatile unsigned char sink;
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].direction != TP_IN && tp_arrays[i].count)
            sink = *tp_element_at(&tp_arrays[i], tp_pick(tp_random(seed, (uint64_t)i, 99), tp_arrays[i].count));
    (void)sink;
}

/* --- sorting (here, since a source that is included later may poison qsort) -------------------------------------- */
static char tp_number_kind; /* of what is sorted */
static size_t tp_number_size;

#define TP_COMPARE(T) ((*(const T *)a > *(const T *)b) - (*(const T *)a < *(const T *)b))
#define TP_COMPARE_WHOLE(T) (tp_number_kind == 'i' ? TP_COMPARE(T) : TP_COMPARE(u##T))
static int tp_compare_numbers(const void *a, const void *b) {
    if (tp_number_kind == 'f') return tp_number_size == sizeof(float) ? TP_COMPARE(float) : TP_COMPARE(double);
    switch (tp_number_size) {
    case 1: return TP_COMPARE_WHOLE(int8_t);
    case 2: return TP_COMPARE_WHOLE(int16_t);
    case 4: return TP_COMPARE_WHOLE(int32_t);
    default: return TP_COMPARE_WHOLE(int64_t);
    }
}

static void tp_sort_array(const tp_array *array) {
    int is_real = array->kind == 'f' && (array->size == sizeof(float) || array->size == sizeof(double));
    if (array->leaves || !(is_real || array->kind == 'i' || array->kind == 'u') || array->size > 8) return;
    tp_number_kind = array->kind, tp_number_size = array->size;
    qsort(array->data, array->count, array->size, tp_compare_numbers);
}
