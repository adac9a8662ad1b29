/* The part of a harness whose kernel has a setup: functions of the user's make what the kernel is called with, and free it.
 * After timing.h and the generated constants; tp_set_up_state, tp_tear_down_state and tp_locate_state are generated too. */

/* As the entry after the source defines it, which finds the places. */
struct tunepass_place {
    void *at;
    size_t count, size; /* the count is TP_REST for the rest of an allocation, TP_TEXT where it may be in none */
    char kind;
    const tp_leaf *leaves;
    int leaf_count;
};
#define TP_REST SIZE_MAX
#define TP_TEXT (SIZE_MAX - 1)
#define TP_COUNTED_STATES 8 /* that a run with mode=count makes, so that the difference of two runs has none */

static struct tunepass_place tp_places[TP_MAX_ARRAYS];
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

/* How many elements there are to the end of the allocation that it is in; 0 where that is not known. */
static size_t tp_rest(const struct tunepass_place *place) {
    const unsigned char *at = (const unsigned char *)place->at;
    for (size_t i = tp_block_count; i-- > 0;)
        if (at >= tp_blocks[i].at && at < tp_blocks[i].at + tp_blocks[i].bytes)
            return (size_t)(tp_blocks[i].at + tp_blocks[i].bytes - at) / place->size;
    return 0;
}

static void tp_measure_place(int number) {
    struct tunepass_place *place = &tp_places[number];
    int rest = place->count >= TP_TEXT, text = place->count == TP_TEXT;
    if (rest) place->count = place->at ? tp_rest(place) : 0;
    if (place->at && place->count) return;
    if (!rest && place->count) tp_fail_setup(TP_SETUP, "leaves NULL in ", tp_place_names[number]);
    if (rest && place->at && !text)
        tp_fail_setup(TP_SETUP, "leaves memory of unknown length, which the pragma has to name, in ", tp_place_names[number]);
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
    double from = tp_now();
    tp_reset_variables();
    srand((unsigned)tp_state_seed), srandom((unsigned)tp_state_seed), srand48((long)tp_state_seed);
    tp_block_count = 0;
    tp_enter(TP_SETUP, 0x5A);
    int missing = tp_set_up_state();
    tp_enter(NULL, 0);
    if (missing) tp_fail_setup(TP_SETUP, "returns NULL", "");
    tp_locate_state();
    for (int i = 0; i < TP_PLACES; i++) tp_measure_place(i);
    tp_state_made = 1, tp_state_used = 0, tp_states++;
    tp_state_s = tp_state_kept ? 0 : tp_now() - from;
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
    array.place = number + 1, array.filled = filled;
    return array;
}
