/* A fixed part of every generated harness: how it times, and what the other end may order. After outputs.h. */

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
#define TP_MAKING 2e-2 /* what a setup may take of a sample */
#define TP_BEHIND 0.1 /* of the best's time: whose fastest sample is so far behind needs no more samples than a probe */
#define TP_FAR 1.5    /* times the cutoff: farther than what an interrupted sample is off by, its wait left out */

/* --- the other end ---------------------------------------------------------------------------------------------- */
/* Where someone listens, calls are made as he says, with inputs that he names, while his own clock runs. */
typedef struct {
    uint64_t what, count, seed;
} tp_command;

enum { TP_GO, TP_CALLS, TP_NO_CALLS, TP_POISON, TP_SHOW, TP_FILL, TP_RENEW };
static int tp_conversing;
static double tp_last_call; /* seconds of one, among those that were ordered last */

static void tp_make_calls(const tp_command *command) {
    double from = tp_now();
    for (uint64_t i = 1; i <= command->count; i++) {
        uint64_t seed = i < command->count ? tp_random(command->seed, TP_MAX_ARRAYS, i) : command->seed;
        tp_prepare();
        tp_vary(seed);
        if (command->what == TP_CALLS) tp_rounded_call();
        if (command->what == TP_NO_CALLS && i < command->count) tp_renew_state(1);
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
        if (command.what == TP_RENEW) tp_renew_state(0);
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
    if (inner * tp_state_s > TP_MAKING) inner = TP_MAKING > 2 * tp_state_s ? (int)(TP_MAKING / tp_state_s) : 1;
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
