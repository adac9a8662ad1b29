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

static tp_plan tp_read_plan(int argc, char **argv) {
    tp_plan plan;
    plan.warmup_s = tp_real(tp_option(argc, argv, "warmup", "0.05"));
    plan.budget_s = tp_real(tp_option(argc, argv, "budget", "0.5"));
    plan.precision = tp_real(tp_option(argc, argv, "precision", "0.01"));
    plan.cutoff_s = tp_real(tp_option(argc, argv, "cutoff", "0"));
    plan.best_s = tp_real(tp_option(argc, argv, "best", "0"));
    plan.calibrated_s = tp_real(tp_option(argc, argv, "calibrated", "0"));
    plan.least = tp_integer(tp_option(argc, argv, "least", "5"));
    plan.most = tp_integer(tp_option(argc, argv, "most", "100"));
    plan.probe = tp_integer(tp_option(argc, argv, "probe", "2"));
    if (plan.most < 1 || plan.most > 1000000) tp_fail(TP_EXIT_USAGE, "most must be between 1 and 1000000");
    return plan;
}

/* Times as often as the other end asks, once where there is none. */
static void tp_serve(const tp_plan *plan) {
    double began = tp_now();
    tp_keep_digests();
    tp_command command = tp_obey("ready");
    while (!tp_conversing || command.count) {
        tp_secret = command.seed;
        tp_time(plan, began, tp_last_call);
        if (!tp_conversing) break;
        command = tp_obey("timed");
    }
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
    if (tp_guarded || timed) tp_catch_faults();
    if (!tp_guarded) tp_set_up(timed, strtoull(seed, NULL, 10));
    if (tp_guarded) {
        tp_check(cases ? cases : alone, calls);
    } else if (strcmp(mode, "sanitize") == 0) {
        tp_sanitize(calls);
    } else {
        tp_plan plan = tp_read_plan(argc, argv);
        tp_serve(&plan);
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
