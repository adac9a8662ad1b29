/* The last fixed part of every generated harness: its options and main. After checks.h. */

static const char *tp_option(int argc, char **argv, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
    return otherwise;
}

static void tp_set_up(int canaries, uint64_t seed) {
    tp_begin_state(seed);
    tp_describe();
    for (int i = 0; i < tp_array_count; i++) {
        if (canaries)
            tp_allocate_plain(&tp_arrays[i]);
        else
            tp_allocate_bare(&tp_arrays[i]);
    }
    tp_say_arrays();
    tp_set_rows(0);
    tp_fill(seed);
    tp_keep_pristine();
}

/* Do outputs lie in one piece of memory each, which is the same in all calls? */
static int tp_lie_still(void) {
#ifdef TP_NEW_ALIGNMENT
    return 0; /* containers may move */
#else
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (tp_is_output(array) && (array->leaves || array->row || array->pieces || array->place)) return 0;
    }
    return 1;
#endif
}

/* Says where the outputs of an order's calls can be read: in a log of all of them or, if they are large, those of the
 * last call where they lie. */
static void tp_say_places(void) {
    const size_t bytes = tp_output_bytes();
    if (bytes > TP_LOGGED_BYTES && tp_lie_still()) {
        for (int i = 0; i < tp_array_count; i++)
            if (tp_is_output(&tp_arrays[i]))
                tp_hold("place %llu %zu\n", (unsigned long long)(uintptr_t)tp_arrays[i].data,
                        tp_arrays[i].size * tp_arrays[i].count);
        tp_send();
        return;
    }
    tp_log_stride = (bytes + TP_ALIGN - 1) / TP_ALIGN * TP_ALIGN;
    if (!bytes) return;
    tp_log_slots = tp_log_stride < TP_LOG_BYTES ? TP_LOG_BYTES / tp_log_stride : 1;
    const size_t page = (size_t)2 << 20, whole = (tp_log_slots * tp_log_stride + page - 1) / page * page;
    void *log = NULL;
    if (posix_memalign(&log, page, whole) != 0) tp_fail(TP_EXIT_MEMORY, "no memory for the log of the outputs");
#ifdef MADV_HUGEPAGE
    madvise(log, whole, MADV_HUGEPAGE);
#endif
    memset(log, 0, whole); /* no page of it is missing later on */
    tp_log = (unsigned char *)log;
    tp_say("log %llu %zu %zu\n", (unsigned long long)(uintptr_t)log, tp_log_stride, tp_log_slots);
}

#if defined TP_NEW_ALIGNMENT || defined TP_SETUP
#define TP_MAY_POOL 0 /* containers or a setup say where arrays are */
#else
#define TP_MAY_POOL 1
#endif

/* Makes the calls that the other end orders; `calls` where there is none. */
static void tp_serve(int calls, int timed) {
    const tp_command alone = {TP_CALLS, (uint64_t)calls, 1, 1, 0};
    tp_keep_digests();
    if (timed) tp_clock_s = tp_clock_cost();
    if (timed) tp_say_places();
    if (timed && TP_MAY_POOL) tp_make_pool();
    tp_obey("ready");
    if (!tp_conversing) tp_make_calls(&alone);
    tp_check_inputs();
    tp_check_canaries();
}

/* The sanitizer's red zones watch the arrays. */
static void tp_sanitize(int calls) {
    for (int call = 0; call < calls; call++) {
        tp_restore();
        tp_poison(call & 1);
        tp_call();
        tp_settle();
        if (tp_results >= 0) tp_write_outputs(tp_results);
    }
}

static int tp_main(int argc, char **argv) {
    char here;
    tp_stack_base = &here;
    const char *mode = tp_option(argc, argv, "mode", "check"), *outputs = tp_option(argc, argv, "outputs", NULL);
    const char *report = tp_option(argc, argv, "report", NULL);
    const char *cases = tp_option(argc, argv, "cases", NULL), *seed = tp_option(argc, argv, "seed", "1");
    char alone[64];
    tp_print(alone, sizeof alone, "%s:0:0:0:0:0:0", seed);
    int calls = tp_integer(tp_option(argc, argv, "calls", "1")), timed = strcmp(mode, "time") == 0;
    tp_rounding = tp_rounding_of(tp_option(argc, argv, "rounding", ""));
    tp_guarded = strcmp(mode, "check") == 0;
    tp_state_kept = TP_SETUP_ONCE && timed;
    tp_check_alignment = (size_t)tp_integer(tp_option(argc, argv, "alignment", "1"));
    if (report) tp_report = tp_open(report, O_APPEND);
    tp_conversing = report && report[0] >= '0' && report[0] <= '9';
    if (outputs) tp_results = tp_open(outputs, O_TRUNC);
    if (tp_guarded || timed) tp_forget_signals(), tp_catch_faults(), tp_refuse_traps();
    if (!tp_guarded) tp_set_up(timed, strtoull(seed, NULL, 10));
    const size_t stack_bytes = (size_t)tp_integer(tp_option(argc, argv, "stack", "0"));
    if (tp_guarded && stack_bytes) {
        const int apart_ns = tp_integer(tp_option(argc, argv, "apart", "-1"));
        tp_check_in_threads(cases ? cases : alone, calls, stack_bytes, apart_ns);
    } else if (tp_guarded) {
        const int repeats = tp_integer(tp_option(argc, argv, "repeats", "0"));
        const int limit_ms = tp_integer(tp_option(argc, argv, "limit_ms", "0"));
        tp_check(cases ? cases : alone, calls, (size_t)repeats, limit_ms);
    } else if (strcmp(mode, "sanitize") == 0) {
        tp_sanitize(calls);
    } else {
        tp_serve(calls, timed);
        while (!timed && tp_states && tp_states < TP_COUNTED_STATES) tp_renew_state(1);
    }
    tp_end_state();
    tp_say("done %016llx\n", (unsigned long long)tp_obey("finished").seed);
    return 0;
}

#ifdef __cplusplus

/* What left the kernel as an exception; "type: what". */
static void tp_say_thrown(const char *what) {
    int status = 0;
    const std::type_info *type = abi::__cxa_current_exception_type();
    char *name = type ? abi::__cxa_demangle(type->name(), NULL, NULL, &status) : NULL;
    char words[301];
    tp_print(words, sizeof words, "%s%s%s", name ? name : "an exception", what ? ": " : "", what ? what : "");
    for (char *at = words; *at; at++)
        if (*at == '\n') *at = ' ';
    if (tp_user_function)
        tp_say("fault setup %s throws %s\n", tp_user_function, words);
    else
        tp_say("fault thrown %s\n", words);
    _exit(TP_EXIT_FAULT);
}

int main(int argc, char **argv) {
    try {
        return tp_main(argc, argv);
    } catch (const std::exception &thrown) {
        tp_say_thrown(thrown.what());
    } catch (...) {
        tp_say_thrown(NULL);
    }
}
#else
int main(int argc, char **argv) {
    return tp_main(argc, argv);
}
#endif
