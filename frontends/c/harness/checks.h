/* mode=check of every generated harness: the cases in which a kernel's results are compared. It stands last, after the
 * generated part.
 * A case is SEED:SIZES:START:POISON:SPECIAL:PAIR:SHIFT, decimal numbers; cases are separated by commas.
 *   SIZES    which of the kernel's sizes, 0 is the one it is tuned at
 *   START    1: arrays lie at the start of their memory, what is before them is inaccessible, every second one at its
 *            end; 0: the other way round. So arrays that are not whole lines of the cache are aligned differently
 *   POISON   pattern of the outputs before the first call (tp_poison); further calls have the other and this in turns
 *   SPECIAL  0, or which special values are among the inputs (tp_special_real), or how they are distributed
 *            (distributions.h)
 *   PAIR     0, or the number (from 1) in tp_pairs of two arrays that overlap, neither of which is poisoned
 *   SHIFT    elements by which the second of them begins after the first, may be negative; without a pair so many
 *            elements are between an array and its end of memory, twice as many of the next array, and so on, up to a
 *            line of the cache: their alignments differ whatever their lengths */

typedef struct {
    unsigned long long seed;
    int set, at_start, poison, special, pair, shift;
} tp_case;

/* --- special values ---------------------------------------------------------------------------------------------- */
enum { TP_NOT_FINITE = 1, TP_TINY, TP_HUGE }; /* further numbers: distributions.h */
#define TP_SPECIAL_EVERY 5 /* of so many elements one holds a special value */

static double tp_special_real(int special, uint64_t bits) {
    static const double values[3][4] = {{NAN, INFINITY, -INFINITY, NAN}, {0.0, -0.0, 0.5, -0.25}, {1.0, -1.0, 1.0, -1.0}};
    return values[special - 1][bits & 3];
}

static uint64_t tp_special_integer(char kind, size_t size, uint64_t bits) {
    uint64_t high = (uint64_t)1 << (8 * size - 1);
    const uint64_t without_sign[4] = {0, 1, high, 2 * high - 1}, with_sign[4] = {high, high + 1, 2 * high - 1, high - 1};
    return kind == 'u' ? without_sign[bits & 3] : with_sign[bits & 3];
}

/* Half precision, Booleans and pointers have none. */
static void tp_put_special(unsigned char *at, char kind, size_t size, int special, uint64_t bits) {
    double real = tp_special_real(special, bits);
    if (kind == 'f' && size == sizeof(float)) {
        *(float *)at = (float)real * (special == TP_TINY ? FLT_MIN : special == TP_HUGE ? FLT_MAX : 1.0f);
    } else if (kind == 'f' && size == sizeof(double)) {
        *(double *)at = real * (special == TP_TINY ? DBL_MIN : special == TP_HUGE ? DBL_MAX : 1.0);
    } else if (kind == 'f' && size == sizeof(long double)) {
        *(long double *)at = real * (special == TP_TINY ? LDBL_MIN : special == TP_HUGE ? LDBL_MAX : 1.0L);
    } else if ((kind == 'i' || kind == 'u') && special == TP_HUGE) {
        uint64_t whole = tp_special_integer(kind, size, bits);
        if (size == 1) *(uint8_t *)at = (uint8_t)whole;
        if (size == 2) *(uint16_t *)at = (uint16_t)whole;
        if (size == 4) *(uint32_t *)at = (uint32_t)whole;
        if (size == 8) *(uint64_t *)at = whole;
    }
}

/* Of an array whose contents the pragma leaves open. */
static void tp_sprinkle(int index, uint64_t seed, int special) {
    tp_array *array = &tp_arrays[index];
    for (int i = 0; i < tp_leaf_count(array); i++) {
        const tp_leaf leaf = tp_leaf_of(array, i);
        for (size_t k = 0; k < array->count * leaf.count; k++) {
            uint64_t bits = tp_random(seed + 0x5EED + (uint64_t)i, (uint64_t)index, k);
            unsigned char *at = array->data + k / leaf.count * array->size + leaf.offset + k % leaf.count * leaf.size;
            if ((bits & 255) % TP_SPECIAL_EVERY == 0) tp_put_special(at, leaf.kind, leaf.size, special, bits >> 8);
        }
    }
}

/* --- one case ---------------------------------------------------------------------------------------------------- */
static void tp_allocate_overlapping(tp_array *first, tp_array *second, int at_start, int shift) {
    size_t apart = (size_t)(shift < 0 ? -shift : shift) * first->size;
    size_t from = shift < 0 ? apart : 0, to = shift < 0 ? 0 : apart;
    size_t first_end = from + first->size * first->count, second_end = to + second->size * second->count;
    tp_allocate_guarded(first, at_start, first_end > second_end ? first_end : second_end, 0);
    second->data = first->low + to;
    first->data = first->low + from;
}

static int tp_overlaps(const tp_case *c, int index) {
    return c->pair && (tp_pairs[c->pair - 1][0] == index || tp_pairs[c->pair - 1][1] == index);
}

/* Array number `index` of a case without overlap. Where the source relies on an alignment, nothing is shifted. */
static void tp_allocate_of_case(const tp_case *c, int index) {
    tp_array *array = &tp_arrays[index];
    size_t unit = array->size > array->alignment ? array->size : array->alignment;
    size_t shift = c->pair || tp_check_alignment > 1 ? 0 : (size_t)c->shift * (size_t)index * unit % TP_ALIGN;
    tp_allocate_guarded(array, c->at_start ^ (index & 1), array->size * array->count, shift);
}

static void tp_set_up_case(const tp_case *c) {
    tp_set = c->set;
    tp_begin_state(c->seed);
    tp_describe();
    for (int i = 0; i < tp_array_count; i++)
        if (!tp_overlaps(c, i)) tp_allocate_of_case(c, i);
    if (c->pair) {
        const int *pair = tp_pairs[c->pair - 1];
        tp_allocate_overlapping(&tp_arrays[pair[0]], &tp_arrays[pair[1]], c->at_start, c->shift);
    }
    tp_say_arrays();
    tp_set_rows(1);
    tp_ends = c->special >= TP_ENDS && c->special < TP_REFILLED ? 1 + c->special - TP_ENDS : 0;
    tp_end_seed = c->seed;
    tp_fill(c->seed);
    tp_ends = 0;
    for (int i = 0; i < tp_array_count; i++) {
        tp_array *array = &tp_arrays[i];
        if (c->special > TP_HUGE && tp_drawn[i]) tp_redistribute(i, c->special, tp_any_value[i], c->seed);
        if (c->special >= TP_REFILLED && c->special < TP_LITERALS && tp_refillable[i]) tp_refill(i, c->special, c->seed);
        if (tp_drawn[i]) tp_scatter_between(i, c->seed);
        if (c->special && c->special <= TP_HUGE && tp_any_value[i]) tp_sprinkle(i, c->seed, c->special);
        if (tp_is_restored(array) || tp_overlaps(c, i)) tp_keep_pristine_array(array);
        if (array->direction == TP_IN && !tp_overlaps(c, i)) mprotect(array->map, array->mapped, PROT_READ);
    }
}

static void tp_poison_case(const tp_case *c, int pattern) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].direction == TP_OUT && !tp_overlaps(c, i)) tp_poison_array(&tp_arrays[i], pattern);
}

static void tp_take_down_case(void) {
    for (int i = 0; i < tp_array_count; i++) {
        if (tp_arrays[i].map) munmap(tp_arrays[i].map - TP_GUARD, tp_arrays[i].mapped + 2 * TP_GUARD);
        tp_free(tp_arrays[i].pristine);
    }
}

/* How many floating numbers of the inout arrays are as they were before the call. */
static void tp_say_unchanged(void) {
    size_t same = 0;
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (array->direction != TP_INOUT || array->fixed) continue;
        for (int j = 0; j < tp_leaf_count(array); j++) {
            const tp_leaf leaf = tp_leaf_of(array, j);
            for (size_t k = 0; k < array->count * leaf.count && leaf.kind == 'f'; k++) {
                size_t at = k / leaf.count * array->size + leaf.offset + k % leaf.count * leaf.size;
                same += memcmp(array->data + at, array->pristine + at, leaf.size) == 0;
            }
        }
    }
    tp_say("unchanged %zu\n", same);
}

/* The case at the start of the text; what follows it is returned. */
static const char *tp_read_case(const char *cases, tp_case *c) {
    int length = 0;
    if (tp_scan(cases, "%llu:%d:%d:%d:%d:%d:%d%n", &c->seed, &c->set, &c->at_start, &c->poison, &c->special, &c->pair,
               &c->shift, &length) != 7 || (cases[length] && cases[length] != ','))
        tp_fail(TP_EXIT_USAGE, "a case is SEED:SIZES:START:POISON:SPECIAL:PAIR:SHIFT");
    return cases + length + (cases[length] == ',');
}

/* CPU time of this process, in s. */
static double tp_worked_s(void) {
    struct timespec worked;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &worked);
    return (double)worked.tv_sec + (double)worked.tv_nsec / 1e9;
}

#define TP_FORETOLD 1024 /* calls that tell how long all would take */

/* Calls as the first one, so many, as long as they leave what that left, bit by bit, and take no longer than so many ms of
 * CPU time, or ten times as long altogether. What the last one left stays in the arrays. */
static void tp_repeat(const tp_case *c, size_t repeats, double limit_ms) {
    const size_t bytes = tp_output_bytes();
    unsigned char *first = (unsigned char *)tp_new_memory(bytes + 1), *last = (unsigned char *)tp_new_memory(bytes + 1);
    const double from = tp_now(), worked = tp_worked_s();
    size_t made = 0;
    if (!first || !last) tp_fail(TP_EXIT_MEMORY, "no memory for the results");
    tp_log_end = first;
    tp_write_outputs(TP_TO_LOG);
    while (made < repeats) {
        const double share = made == TP_FORETOLD ? (double)made / (double)repeats : 1;
        if (made % 64 == 0 && (tp_worked_s() - worked > share * limit_ms / 1e3 ||
                               tp_now() - from > limit_ms / 100))
            break;
        tp_restore();
        tp_poison_case(c, c->poison & 1);
        tp_rounded_call();
        made++;
        tp_log_end = last;
        tp_write_outputs(TP_TO_LOG);
        if (memcmp(first, last, bytes) != 0) break;
    }
    tp_check_canaries();
    tp_free(first);
    tp_free(last);
    tp_say("repeated %zu\n", made);
}

static void tp_check(const char *cases, int calls, size_t repeats, double limit_ms) {
    for (int number = 0; *cases; number++) {
        tp_case c;
        cases = tp_read_case(cases, &c);
        tp_say("case %d\n", number);
        tp_set_up_case(&c);
        for (int call = 0; call < calls; call++) {
            if (call && repeats) {
                tp_repeat(&c, repeats, limit_ms);
            } else {
                tp_restore();
                tp_poison_case(&c, (c.poison + call) & 1);
                tp_soil_memory(c.poison + call);
                tp_rounded_call();
                tp_check_canaries();
            }
            if (calls > 1 && call == 0) tp_say_unchanged();
            if (tp_results >= 0) tp_write_outputs(tp_results);
        }
        tp_take_down_case();
    }
    tp_say_left();
}
