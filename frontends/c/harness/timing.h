/* The last fixed part of every generated harness: what it writes, how it times, and main. After inputs.h. */

/* --- output ---------------------------------------------------------------------------------------------------- */
/* `path` may be the number of an open file. */
static int tp_open(const char *path, int flags) {
    if (path[0] >= '0' && path[0] <= '9') return atoi(path);
    int file = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) tp_fail(TP_EXIT_USAGE, "cannot open a file for the results");
    return file;
}

static void tp_write(int file, const unsigned char *at, size_t rest) {
    while (rest) {
        ssize_t wrote = write(file, at, rest);
        if (wrote <= 0) tp_fail(TP_EXIT_USAGE, "cannot write the results");
        at += wrote;
        rest -= (size_t)wrote;
    }
}

/* A pointer as what it points into: the number of the array from 1, and the byte; -1 for NULL, -2 for other memory. */
static int64_t tp_pointer_code(const unsigned char *to) {
    if (!to) return -1;
    for (int end = 0; end < 2; end++) /* the end of one array may be the start of another */
        for (int i = 0; i < tp_array_count; i++) {
            const tp_array *array = &tp_arrays[i];
            size_t bytes = array->size * array->count + (size_t)end;
            if (to >= array->data && to < array->data + bytes) return ((int64_t)(i + 1) << 40) + (to - array->data);
        }
    return -2;
}

/* The numbers of one leaf of all elements, one after the other. */
static void tp_write_leaf(int file, const tp_array *array, const tp_leaf *leaf) {
    static unsigned char held[1 << 16];
    size_t filled = 0;
    for (size_t k = 0; k < array->count * leaf->count; k++) {
        const unsigned char *at = array->data + k / leaf->count * array->size + leaf->offset + k % leaf->count * leaf->size;
        if (leaf->kind == 'p') {
            const unsigned char *to;
            memcpy(&to, at, sizeof to);
            int64_t code = tp_pointer_code(to);
            memcpy(held + filled, &code, sizeof code);
        } else {
            memcpy(held + filled, at, leaf->size);
        }
        filled += leaf->kind == 'p' ? sizeof(int64_t) : leaf->size;
        if (filled > sizeof held - 64) tp_write(file, held, filled), filled = 0;
    }
    tp_write(file, held, filled);
}

static void tp_write_part(int file, const tp_array *array, int leaf) {
    if (array->leaves)
        tp_write_leaf(file, array, &array->leaves[leaf]);
    else
        tp_write(file, array->data, array->size * array->count);
}

/* As the kernel left the pointers to the rows; a row that is none of the array's holds 0xFF. */
static void tp_write_rows(int file, const tp_array *array, int leaf) {
    tp_array row = *array;
    unsigned char *none = (unsigned char *)malloc(row.size * row.row);
    if (!none) tp_fail(TP_EXIT_MEMORY, "no memory for the results");
    memset(none, 0xFF, row.size * row.row);
    row.count = row.row;
    for (size_t r = 0; r < tp_arrays[array->table].count; r++) {
        memcpy(&row.data, tp_arrays[array->table].data + r * sizeof row.data, sizeof row.data);
        uintptr_t at = (uintptr_t)row.data, low = (uintptr_t)array->data;
        if (at < low || at + row.size * row.count > low + array->size * array->count) row.data = none;
        tp_write_part(file, &row, leaf);
    }
    free(none);
}

static int tp_is_output(const tp_array *array) {
    return array->direction == TP_OUT || array->direction == TP_INOUT;
}

static void tp_write_outputs(int file) {
    for (int i = 0; i < tp_array_count; i++)
        for (int j = 0; j < tp_leaf_count(&tp_arrays[i]) && tp_is_output(&tp_arrays[i]); j++)
            if (tp_arrays[i].row)
                tp_write_rows(file, &tp_arrays[i], j);
            else
                tp_write_part(file, &tp_arrays[i], j);
}

/* --- timing ---------------------------------------------------------------------------------------------------- */
static double tp_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds this thread was ready to run so far, but another ran in its place; 0 where the system does not say. */
static double tp_waited(void) {
    static int file = -2;
    char text[96];
    unsigned long long ran, waited;
    if (file == -2) file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = 0;
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? 1e-9 * (double)waited : 0;
}

/* Seconds of all threads of this process so far. */
static double tp_worked(void) {
    struct timespec now;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* Wall time of a call; `waited`, if not NULL, grows by the part of it in which others ran, and no thread of ours. */
static double tp_timed_call(double *waited) {
    struct timespec from, to;
    double before = waited ? tp_waited() : 0, worked = waited ? tp_worked() : 0;
    __sync_synchronize(); /* what was stored into the inputs is none of the call's time */
    clock_gettime(CLOCK_MONOTONIC, &from);
    tp_call();
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (waited) {
        double lost = tp_waited() - before, idle = took - (tp_worked() - worked);
        if (lost > idle) lost = idle;
        *waited += lost > 0 && lost < took ? lost : 0;
    }
    tp_settle();
    return took;
}

static double tp_clock_cost(void) {
    double least = 1.0;
    for (int i = 0; i < 200; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double cost = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        if (cost < least) least = cost;
    }
    return least;
}

/* Seconds for a fixed piece of work that keeps the core's units busy: the machine's speed at this moment. */
static double tp_calibrate(void) {
    volatile uint64_t sink;
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    double from = tp_now();
    for (uint64_t i = 0; i < 10000; i++) {
        a += b ^ (a << 3), c += d ^ (c << 5), e += f ^ (e << 7), g += h ^ (g << 9);
        b = b * 3 + i, d = d * 5 + i, f = f * 7 + i, h = h * 9 + i;
    }
    sink = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    (void)sink;
    return tp_now() - from;
}

static long tp_interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static int tp_compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half the width of the 95 % interval of the median, from order statistics, relative to the median. */
static double tp_median_uncertainty(const double *samples, int count, double *sorted) {
    memcpy(sorted, samples, (size_t)count * sizeof *samples);
    qsort(sorted, (size_t)count, sizeof *sorted, tp_compare_doubles);
    int reach = (int)ceil(0.98 * sqrt((double)count)), middle = (count - 1) / 2;
    int lo = middle - reach < 0 ? 0 : middle - reach, hi = middle + 1 + reach >= count ? count - 1 : middle + 1 + reach;
    return sorted[middle] > 0 ? (sorted[hi] - sorted[lo]) / 2 / sorted[middle] : 0;
}

typedef struct {
    double warmup_s, budget_s, precision, cutoff_s, best_s, calibrated_s;
    int least, most, probe;
} tp_plan;

#define TP_SHORT 5e-5 /* a sample averages enough calls to last this long */
#define TP_LONG 2e-3  /* calls that last longer are timed from outside one by one */
#define TP_BEHIND 0.1 /* of the best's time: whose fastest sample is so far behind needs no more samples than a probe */
#define TP_FAR 1.5    /* times the cutoff: farther than what an interrupted sample is off by, its wait left out */

/* --- the other end ---------------------------------------------------------------------------------------------- */
/* Where someone listens, calls are made as he says, with inputs that he names, while his own clock runs. */
typedef struct {
    uint64_t what, count, seed;
} tp_command;

enum { TP_GO, TP_CALLS, TP_NO_CALLS, TP_POISON, TP_SHOW, TP_FILL };
static int tp_conversing;
static int tp_results = -1;
static double tp_last_call; /* seconds of one, among those that were ordered last */

static void tp_make_calls(const tp_command *command) {
    double from = tp_now();
    for (uint64_t i = 1; i <= command->count; i++) {
        uint64_t seed = i < command->count ? tp_random(command->seed, TP_MAX_ARRAYS, i) : command->seed;
        tp_prepare();
        tp_vary(seed);
        if (command->what == TP_CALLS) tp_call(), tp_settle();
    }
    if (command->what == TP_NO_CALLS) return;
    tp_touch(command->seed);
    tp_last_call = (tp_now() - from) / (double)command->count;
}

/* Says what happened, and does what it is told to until it may go on. */
static tp_command tp_obey(const char *event) {
    tp_command command = {TP_GO, 0, 0};
    for (; tp_conversing; event = "ok") {
        tp_say("%s\n", event);
        if (read(tp_report, &command, sizeof command) != (ssize_t)sizeof command) _exit(TP_EXIT_USAGE);
        if (command.what == TP_GO) break;
        if (command.what == TP_CALLS || command.what == TP_NO_CALLS) tp_make_calls(&command);
        if (command.what == TP_POISON) tp_poison(1);
        if (command.what == TP_FILL) tp_fill_anew(command.seed);
        if (command.what == TP_SHOW && lseek(tp_results, 0, SEEK_SET) == 0) tp_write_outputs(tp_results);
    }
    return command;
}

static double tp_inner_call(double *waited) {
    tp_prepare();
    tp_vary(tp_fresh());
    return tp_timed_call(waited);
}

/* Seconds of a call, from calls until they are steady. What ran since `started` has warmed up as well. */
static double tp_warm_up(const tp_plan *plan, double started, double last) {
    while (last <= 0 || tp_now() - started < plan->warmup_s) {
        double next = tp_inner_call(NULL);
        int steady = fabs(next - last) <= 0.02 * last;
        last = next;
        if (steady && tp_now() - started > plan->warmup_s / 10) break;
        if (plan->cutoff_s > 0 && last > plan->cutoff_s) break;
    }
    return last;
}

/* One sample of `inner` calls. A long call gets its inputs from the other end of the report when it starts. */
static double tp_sample(int inner, int asked, double *waited) {
    double total = 0;
    for (int i = 0; i < inner && !asked; i++) total += tp_inner_call(inner == 1 ? waited : NULL);
    if (asked) {
        tp_prepare();
        uint64_t seed = tp_obey("next").seed;
        tp_vary(seed);
        total = tp_timed_call(waited);
        tp_touch(seed);
    }
    return (total - *waited) / inner;
}

static void tp_time(const tp_plan *plan, double began, double last) {
    double *samples = (double *)malloc(2 * (size_t)plan->most * sizeof(double));
    if (!samples) tp_fail(TP_EXIT_MEMORY, "no memory for the samples");
    double clock_cost = tp_clock_cost();
    last = tp_warm_up(plan, began, last);
    int inner = last > TP_SHORT ? 1 : last > TP_SHORT / 1000 ? (int)(TP_SHORT / last) + 1 : 1000;
    int asked = tp_conversing && last > TP_LONG;
    double started = tp_now(), least = 1e300, quickest = 1e300;
    tp_hold("plan %d %.3e\n", inner, clock_cost);
    for (int n = 0, clean = 0; n < plan->most;) {
        tp_poison(1);
        double calibration = tp_calibrate(), waited = 0;
        long interruptions = tp_interruptions();
        double sample = tp_sample(inner, asked, &waited) - clock_cost;
        interruptions = tp_interruptions() - interruptions;
        if (sample < 1e-9) sample = 1e-9;
        samples[n++] = sample;
        clean += interruptions == 0;
        tp_hold("sample %.9e %ld %.6e %.3e\n", sample, interruptions, calibration, waited);
        if (asked) tp_obey("took");
        if (sample < least) least = sample;
        if (calibration < quickest) quickest = calibration;
        /* the best was measured when the machine was this much faster */
        double slower = plan->calibrated_s > 0 && quickest > plan->calibrated_s ? quickest / plan->calibrated_s : 1;
        double cutoff = plan->cutoff_s * slower;
        int probed = clean >= plan->probe || n >= 4 * plan->probe || (n >= plan->probe && least > TP_FAR * cutoff);
        if (plan->cutoff_s > 0 && probed && least > cutoff) {
            tp_hold("cut %d\n", n);
            break;
        }
        double spent = tp_now() - started;
        if ((spent >= plan->budget_s && n >= 3) || spent >= 4 * plan->budget_s) break;
        /* what is behind for sure need not be known as well as what may lead: to a quarter of the distance */
        double behind = plan->best_s > 0 ? least / (plan->best_s * slower) - 1 : 0;
        double enough = behind / 4 > plan->precision ? behind / 4 : plan->precision;
        int known = n >= plan->least || (behind > TP_BEHIND && clean >= plan->probe);
        if (known && tp_median_uncertainty(samples, n, samples + plan->most) <= enough) break;
    }
    free(samples);
}

/* --- main ------------------------------------------------------------------------------------------------------ */
static const char *tp_option(int argc, char **argv, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
    return otherwise;
}

static void tp_say_arrays(void) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        for (int j = 0; j < tp_leaf_count(array) && tp_is_output(array); j++) {
            const tp_leaf leaf = tp_leaf_of(array, j);
            const char *pointer = leaf.kind == 'p' ? "&" : "", *dot = leaf.path[0] ? "." : "";
            char kind = leaf.kind == 'p' ? 'i' : leaf.kind;
            tp_say("array %s%s%s%s %c%zu %zu\n", pointer, array->name, dot, leaf.path, kind, leaf.size,
                   array->count * leaf.count);
        }
    }
}

static void tp_set_up(int canaries, uint64_t seed) {
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
    plan.warmup_s = atof(tp_option(argc, argv, "warmup", "0.05"));
    plan.budget_s = atof(tp_option(argc, argv, "budget", "0.5"));
    plan.precision = atof(tp_option(argc, argv, "precision", "0.01"));
    plan.cutoff_s = atof(tp_option(argc, argv, "cutoff", "0"));
    plan.best_s = atof(tp_option(argc, argv, "best", "0"));
    plan.calibrated_s = atof(tp_option(argc, argv, "calibrated", "0"));
    plan.least = atoi(tp_option(argc, argv, "least", "5"));
    plan.most = atoi(tp_option(argc, argv, "most", "100"));
    plan.probe = atoi(tp_option(argc, argv, "probe", "2"));
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

static void tp_check(const char *cases, int calls, int rounding); /* checks.h */

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
    const char *cases = tp_option(argc, argv, "cases", NULL), *rounding = tp_option(argc, argv, "rounding", "");
    const char *seed = tp_option(argc, argv, "seed", "1");
    char alone[64];
    snprintf(alone, sizeof alone, "%s:0:0:0:0:0:0", seed);
    int calls = atoi(tp_option(argc, argv, "calls", "1")), timed = strcmp(mode, "time") == 0;
    tp_guarded = strcmp(mode, "check") == 0;
    tp_check_alignment = (size_t)atoi(tp_option(argc, argv, "alignment", "1"));
    if (report) tp_report = tp_open(report, O_APPEND);
    tp_conversing = report && report[0] >= '0' && report[0] <= '9';
    if (outputs) tp_results = tp_open(outputs, O_TRUNC);
    if (tp_guarded || timed) tp_catch_faults();
    if (!tp_guarded) tp_set_up(timed, strtoull(seed, NULL, 10));
    if (tp_guarded) {
        tp_check(cases ? cases : alone, calls, strcmp(rounding, "up") == 0 ? 1 : strcmp(rounding, "down") == 0 ? -1 : 0);
    } else if (strcmp(mode, "sanitize") == 0) {
        tp_sanitize(calls);
    } else {
        tp_plan plan = tp_read_plan(argc, argv);
        tp_serve(&plan);
    }
    tp_say("done %016llx\n", (unsigned long long)tp_obey("finished").seed);
    return 0;
}

#ifdef __cplusplus
#include <cxxabi.h>
#include <exception>

/* What left the kernel as an exception; "type: what". */
static void tp_say_thrown(const char *what) {
    int status = 0;
    const std::type_info *type = abi::__cxa_current_exception_type();
    char *name = type ? abi::__cxa_demangle(type->name(), NULL, NULL, &status) : NULL;
    char words[301];
    snprintf(words, sizeof words, "%s%s%s", name ? name : "an exception", what ? ": " : "", what ? what : "");
    for (char *at = words; *at; at++)
        if (*at == '\n') *at = ' ';
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
