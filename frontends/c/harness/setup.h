/* The part of a harness whose kernel has a setup: functions of the user's make what the kernel is called with, and free it.
 * After timing.h and the generated constants; tp_set_up_state, tp_tear_down_state and tp_locate_state are generated too. */

/* As the entry after the source defines it, which finds the places. A place within another (its number, from 1) is in
 * pieces: of each element of that, at the link, there are pointers that are followed, or memory of its own. */
struct tunepass_link {
    size_t offset, count;
};
struct tunepass_place {
    void *at;
    size_t count, size; /* the count is TP_REST for the rest of an allocation, TP_TEXT where it may be in none */
    char kind;
    const tp_leaf *leaves;
    int leaf_count;
    int within, followed;
    struct tunepass_link link;
    const struct tunepass_link *again; /* pointers in its own elements to more of them */
    int again_count;
    const void *object; /* the struct that it is in or led to from, by a pointer; NULL where there is none */
    size_t object_size;
};
#define TP_REST SIZE_MAX
#define TP_TEXT (SIZE_MAX - 1)
#define TP_COUNTED_STATES 8 /* that a run with mode=count makes, so that the difference of two runs has none */

static struct tunepass_place tp_places[TP_MAX_ARRAYS];
static tp_pieces tp_place_pieces[TP_MAX_ARRAYS];
static int tp_place_unknown[TP_MAX_ARRAYS]; /* some of its memory has no known length */
static int tp_place_rest[TP_MAX_ARRAYS];    /* its length is the rest of an allocation */
static unsigned char **tp_covered; /* of each allocation, where what places have of it begins; NULL where nothing */
static uint64_t tp_state_seed;
static int tp_state_made, tp_state_used, tp_states;
static int tp_set_up_state(void); /* not 0: a pointer that it returns is NULL */
static void tp_tear_down_state(void);
static void tp_locate_state(void);

static void tp_fail_setup(const char *function, const char *what, const char *name) {
    tp_user_function = NULL;
    tp_say("fault setup %s %s%s\n", function, what, name);
    _exit(TP_EXIT_FAULT);
}

static void tp_on_exit(void) {
    if (tp_user_function) tp_fail_setup(tp_user_function, "ends the program", "");
}

static void tp_catch_setup(void) {
    static const int numbers[] = {SIGABRT, SIGFPE, SIGILL, SIGSEGV, SIGBUS};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tp_on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < (tp_guarded ? 5 : 3); i++) sigaction(numbers[i], &action, NULL);
    atexit(tp_on_exit);
}

/* Memory that the user's function allocates holds a pattern before it is written, so that every call begins alike. */
static void tp_enter(const char *function, int pattern) {
    tp_user_function = function;
#ifdef M_PERTURB
    mallopt(M_PERTURB, pattern);
#endif
    (void)pattern;
}

/* --- how long memory is ------------------------------------------------------------------------------------------ */
static int tp_compare_blocks(const void *a, const void *b) {
    const tp_block *x = (const tp_block *)a, *y = (const tp_block *)b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : (x->turn > y->turn) - (x->turn < y->turn);
}

/* By address, without those that were freed: what overlaps a later allocation. */
static void tp_sort_blocks(void) {
    size_t kept = 0;
    if (tp_block_count) qsort(tp_blocks, tp_block_count, sizeof *tp_blocks, tp_compare_blocks);
    for (size_t i = 0; i < tp_block_count; i++) {
        tp_block block = tp_blocks[i];
        while (kept && tp_blocks[kept - 1].at + tp_blocks[kept - 1].bytes > block.at && tp_blocks[kept - 1].turn < block.turn)
            kept--;
        if (!kept || tp_blocks[kept - 1].at + tp_blocks[kept - 1].bytes <= block.at) tp_blocks[kept++] = block;
    }
    tp_block_count = kept;
}

/* The allocation that it is in, or at the end of; NULL where there is none. */
static tp_block *tp_block_of(const unsigned char *at) {
    size_t low = 0, high = tp_block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tp_blocks[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at <= tp_blocks[low - 1].at + tp_blocks[low - 1].bytes ? &tp_blocks[low - 1] : NULL;
}

/* --- places in pieces -------------------------------------------------------------------------------------------- */
static void tp_add_piece(int number, unsigned char *at, size_t count) {
    tp_pieces *pieces = &tp_place_pieces[number];
    if (pieces->count == pieces->room) {
        pieces->room = 2 * pieces->room + 16;
        pieces->all = (tp_piece *)realloc(pieces->all, pieces->room * sizeof *pieces->all);
        pieces->sorted = (tp_piece *)realloc(pieces->sorted, pieces->room * sizeof *pieces->sorted);
        if (!pieces->all || !pieces->sorted) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    }
    tp_piece *piece = &pieces->all[pieces->count++];
    piece->at = at, piece->count = count, piece->first = tp_places[number].count;
    tp_places[number].count += count;
}

/* Is it in a place whose length is known without the allocations, such as the struct that it points from? */
static int tp_is_placed(const unsigned char *at) {
    for (int i = 0; i < TP_PLACES; i++) {
        const struct tunepass_place *place = &tp_places[i];
        const unsigned char *low = (const unsigned char *)place->at;
        if (!tp_place_rest[i] && !place->within && low && at >= low && at < low + place->size * place->count) return 1;
    }
    return 0;
}

/* Does the pointer to its struct lead to the end of an array? Then there is no struct. */
static int tp_is_past_end(const struct tunepass_place *place) {
    const unsigned char *object = (const unsigned char *)place->object;
    const tp_block *block = object ? tp_block_of(object) : NULL;
    return block && (size_t)(block->at + block->bytes - object) < place->object_size;
}

/* The elements from where a pointer leads to the end of the allocation, or to what another place has of it. */
static size_t tp_rest(int number, unsigned char *to, int pointed) {
    tp_block *block = to ? tp_block_of(to) : NULL;
    if (!to || (pointed && tp_is_placed(to))) return 0;
    if (!block) {
        if (!tp_place_unknown[number]) tp_place_unknown[number] = tp_is_writable(to);
        return 0;
    }
    unsigned char **low = &tp_covered[block - tp_blocks], *end = *low && pointed ? *low : block->at + block->bytes;
    if (to >= end || (size_t)(end - to) < tp_places[number].size) return 0;
    if (!*low || to < *low) *low = to;
    return (size_t)(end - to) / tp_places[number].size;
}

static void tp_add_rest(int number, unsigned char *to) {
    size_t count = tp_rest(number, to, 1);
    if (count) tp_add_piece(number, to, count);
}

/* From the pointers that an element has at a link, which lead to `row` elements each. */
static void tp_add_linked(int number, const tp_piece *from, size_t size, struct tunepass_link link, size_t row) {
    for (size_t k = 0; k < from->count; k++)
        for (size_t j = 0; j < link.count; j++) {
            unsigned char *at = from->at + k * size + link.offset, *to;
            memcpy(&to, at + j * sizeof to, sizeof to);
            if (row == TP_REST)
                tp_add_rest(number, to);
            else if (to)
                tp_add_piece(number, to, row);
            else
                tp_fail_setup(TP_SETUP, "leaves NULL in ", tp_place_names[number]);
        }
}

/* Of each element of the place that it is within. */
static void tp_add_within(int number, size_t row) {
    const struct tunepass_place *place = &tp_places[number], *outer = &tp_places[place->within - 1];
    const tp_pieces *others = &tp_place_pieces[place->within - 1];
    tp_piece whole = {(unsigned char *)outer->at, outer->count, 0};
    for (size_t i = 0; i < (others->count ? others->count : 1); i++) {
        const tp_piece *from = others->count ? &others->all[i] : &whole;
        if (place->followed) tp_add_linked(number, from, outer->size, place->link, row);
        for (size_t k = 0; k < from->count && !place->followed; k++)
            tp_add_piece(number, from->at + k * outer->size + place->link.offset, place->link.count);
    }
}

static int tp_compare_pieces(const void *a, const void *b) {
    const tp_piece *x = (const tp_piece *)a, *y = (const tp_piece *)b;
    return (x->at > y->at) - (x->at < y->at);
}

static void tp_measure_pieces(int number) {
    struct tunepass_place *place = &tp_places[number];
    tp_pieces *pieces = &tp_place_pieces[number];
    size_t count = place->count;
    place->count = 0;
    if (place->within)
        tp_add_within(number, count);
    else
        tp_add_piece(number, (unsigned char *)place->at, count);
    for (size_t i = 0; i < pieces->count; i++)
        for (int j = 0; j < place->again_count; j++) {
            tp_piece piece = pieces->all[i];
            tp_add_linked(number, &piece, place->size, place->again[j], TP_REST);
        }
    if (pieces->count) memcpy(pieces->sorted, pieces->all, pieces->count * sizeof *pieces->all);
    if (pieces->count) qsort(pieces->sorted, pieces->count, sizeof *pieces->sorted, tp_compare_pieces);
    place->at = pieces->count ? pieces->all[0].at : NULL;
}

static void tp_measure_place(int number) {
    struct tunepass_place *place = &tp_places[number];
    int rest = tp_place_rest[number], text = place->count == TP_TEXT;
    if (!place->within && rest) place->count = tp_rest(number, (unsigned char *)place->at, place->followed);
    if (!place->within && !rest && place->count && !place->at)
        tp_fail_setup(TP_SETUP, "leaves NULL in ", tp_place_names[number]);
    if (!place->within && tp_place_unknown[number] && place->kind != 's' && !text)
        tp_fail_setup(TP_SETUP, "leaves memory of unknown length, which the pragma has to name, in ",
                      tp_place_names[number]);
    if (place->within || (place->again_count && place->at && place->count)) tp_measure_pieces(number);
}

static void tp_measure_places(void) {
    tp_sort_blocks();
    free(tp_covered);
    tp_covered = (unsigned char **)calloc(tp_block_count + 1, sizeof *tp_covered);
    if (!tp_covered) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    for (int i = 0; i < TP_PLACES; i++) {
        tp_place_rest[i] = tp_places[i].count >= TP_TEXT;
        tp_place_unknown[i] = 0, tp_place_pieces[i].count = 0;
        if (tp_is_past_end(&tp_places[i])) tp_places[i].at = NULL, tp_places[i].count = 0;
    }
    for (int i = 0; i < TP_PLACES; i++) tp_measure_place(i);
}

/* The variables that are compared, as the source initialises them. */
#ifdef TP_VARIABLES
static void tp_reset_variables(void) {
    static unsigned char *initial[TP_VARIABLES];
    for (int i = 0; i < TP_VARIABLES; i++) {
        const struct tunepass_global *variable = &tunepass_globals[i];
        unsigned char *at = (unsigned char *)(uintptr_t)variable->tp_at;
        if (initial[i]) memcpy(at, initial[i], variable->tp_size);
        if (initial[i] || !variable->tp_size) continue;
        initial[i] = (unsigned char *)malloc(variable->tp_size);
        if (!initial[i]) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
        memcpy(initial[i], at, variable->tp_size);
    }
}
#else
static void tp_reset_variables(void) {}
#endif

static void tp_make_state(void) {
    tp_reset_variables();
    srand((unsigned)tp_state_seed), srandom((unsigned)tp_state_seed), srand48((long)tp_state_seed);
    tp_block_count = 0;
    tp_enter(TP_SETUP, TP_PATTERN);
    int missing = tp_set_up_state();
    tp_enter(NULL, 0);
    if (missing) tp_fail_setup(TP_SETUP, "returns NULL", "");
    memset(tp_places, 0, sizeof tp_places);
    tp_locate_state();
    tp_measure_places();
    tp_state_made = 1, tp_state_used = 0, tp_states++;
}

static void tp_end_state(void) {
    if (!tp_state_made) return;
    tp_enter(TP_TEARDOWN, 0);
    tp_tear_down_state();
    tp_enter(NULL, 0);
    tp_state_made = 0;
}

/* The arrays lie where the setup made them, which may be elsewhere than before. */
static void tp_find_places(void) {
    for (int i = 0; i < tp_array_count; i++) {
        tp_array *array = &tp_arrays[i];
        const struct tunepass_place *place = &tp_places[array->place > 0 ? array->place - 1 : 0];
        if (array->place <= 0 || !array->fixed) continue;
        if (!place->at || place->count != array->count)
            tp_fail_setup(TP_SETUP, "makes other lengths each time it is called, of ", array->name);
        array->fixed = array->data = (unsigned char *)place->at;
    }
}

static void tp_begin_state(uint64_t seed) {
    static int caught;
    if (!caught++) tp_catch_setup();
    int again = tp_state_made;
    tp_end_state();
    tp_state_seed = seed;
    tp_make_state();
    if (again && !tp_guarded) tp_find_places();
}

static void tp_renew_state(int always) {
    if (!tp_state_made || tp_state_kept || (!always && !tp_state_used)) return;
    tp_end_state();
    tp_make_state();
    tp_find_places();
}

/* For tp_describe. */
static tp_array tp_describe_place(int number, const char *name, int direction, int filled) {
    const struct tunepass_place *place = &tp_places[number];
    int empty = !place->at || !place->count;
    tp_array array = tp_describe_array(name, empty ? TP_IN : direction, place->kind, place->size ? place->size : 1,
                                       empty ? 0 : (int64_t)place->count, place->leaves, place->leaf_count);
    if (empty) array.leaves = NULL, array.leaf_count = 0;
    array.fixed = empty ? NULL : (unsigned char *)place->at;
    array.place = number + 1, array.filled = filled, array.unknown = tp_place_unknown[number];
    if (!empty && tp_place_pieces[number].count) array.pieces = &tp_place_pieces[number];
    return array;
}
