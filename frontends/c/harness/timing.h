/* A fixed part of every generated harness: how calls are made and timed, all of them as the other end orders. After
 * pool.h. */

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

/* Wall time of a call, or of none; `waited`, if not NULL, grows by the part of it in which others ran, and no thread of
 * ours. */
static double tp_timed_call(int calling, double *waited) {
    struct timespec from, to;
    double before = waited ? tp_waited() : 0, worked = waited ? tp_worked() : 0;
    __sync_synchronize(); /* what was stored into the inputs is none of the call's time */
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (calling) tp_call();
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (waited) {
        double lost = tp_waited() - before, idle = took - (tp_worked() - worked);
        if (lost > idle) lost = idle;
        *waited += lost > 0 && lost < took ? lost : 0;
    }
    if (calling) tp_settle();
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

/* --- the other end ---------------------------------------------------------------------------------------------- */
/* Calls are made as it says, with inputs that it names, while its own clock runs. Which of them it looks at it decides
 * afterwards. */
typedef struct {
    uint64_t what, count, seed, group, fresh;
} tp_command;

enum { TP_GO, TP_CALLS, TP_NO_CALLS, TP_POISON, TP_SHOW, TP_FILL, TP_RENEW, TP_POOL };
#define TP_OWN_SETS 2 /* `fresh`: each call has a set of arrays, filled before */
#define TP_SEED_STEP 0xD6E8FEB86659FD93u /* between the seeds of two calls of an order */
#define TP_LOG_BYTES ((size_t)4 << 20)
#define TP_LOGGED_BYTES ((size_t)1 << 20) /* of a call's outputs, at most, if they can be read where they lie */
static int tp_conversing;
static double tp_clock_s; /* what reading the clock costs */
/* The outputs of each call of an order, one behind the other; NULL where they are read where they lie. */
static unsigned char *tp_log;
static size_t tp_log_stride, tp_log_slots;

/* What the log has of that call (from 1), or the outputs as they are now. */
static void tp_show(uint64_t call) {
    if (tp_results < 0 || lseek(tp_results, 0, SEEK_SET) != 0 || ftruncate(tp_results, 0) != 0) return;
    if (call && tp_log && call <= tp_log_slots)
        tp_write(tp_results, tp_log + (call - 1) * tp_log_stride, tp_output_bytes());
    else
        tp_write_outputs(tp_results);
}

static uint64_t tp_call_seed(const tp_command *command, uint64_t call) {
    return command->seed + call * TP_SEED_STEP;
}

/* Calls that nobody times. */
static void tp_make_plain_calls(const tp_command *command) {
    for (uint64_t i = 1; i <= command->count; i++) {
        tp_prepare();
        tp_vary(tp_call_seed(command, i));
        tp_rounded_call();
    }
    tp_touch(command->seed);
}

/* Calls in groups, each of which is a sample: the only place where a call is made that is timed or looked at, so that
 * neither the stack nor the registers tell for what. */
static void tp_make_calls(const tp_command *command) {
    const int calling = command->what == TP_CALLS, pooled = command->fresh == TP_OWN_SETS && tp_pool_sets;
    const double calibration = pooled ? 1e-6 : tp_calibrate(); /* with a pool the less is done beside calls, the better */
    if (!pooled) tp_poison(1);
    for (uint64_t i = 0; i < command->count;) {
        const uint64_t left = command->count - i, group = command->group < left ? command->group : left;
        double total = 0, waited = 0;
        const long before = pooled ? 0 : tp_interruptions();
        for (uint64_t end = i + group; i < end; i++) {
            const uint64_t seed = tp_call_seed(command, i + 1);
            if (pooled)
                tp_use_set(i % tp_pool_sets);
            else if (command->fresh)
                tp_fill_anew(seed), tp_vary(seed);
            else
                tp_prepare(), tp_vary(seed);
            total += tp_timed_call(calling, group == 1 ? &waited : NULL);
            if (pooled) continue;
            if (tp_log && i < tp_log_slots) {
                tp_log_end = tp_log + i * tp_log_stride;
                tp_write_outputs(TP_TO_LOG);
            } else {
                tp_touch(seed);
            }
            if (!calling && i + 1 < command->count) tp_renew_state(1);
        }
        const double sample = (total - waited) / (double)group - tp_clock_s;
        tp_hold("sample %.9e %ld %.6e %.3e\n", sample < 1e-9 ? 1e-9 : sample,
                pooled ? 0 : tp_interruptions() - before, calibration, waited);
    }
    if (pooled) tp_use_set(0);
    __sync_synchronize(); /* the log is complete for who reads it from outside */
}

/* Says what happened, and does what it is told to until it may go on. */
static tp_command tp_obey(const char *event) {
    tp_command command = {TP_GO, 0, 0, 1, 0};
    for (; tp_conversing; event = "ok") {
        tp_say("%s\n", event);
        if (read(tp_report, &command, sizeof command) != (ssize_t)sizeof command) _exit(TP_EXIT_USAGE);
        if (command.what == TP_GO) break;
        if (command.what == TP_CALLS && !command.group)
            tp_make_plain_calls(&command);
        else if (command.what == TP_CALLS || command.what == TP_NO_CALLS)
            tp_make_calls(&command);
        if (command.what == TP_POISON) tp_poison(1);
        if (command.what == TP_POOL) tp_fill_sets(command.count, command.seed, TP_SEED_STEP);
        if (command.what == TP_FILL) tp_fill_anew(command.seed);
        if (command.what == TP_RENEW) tp_renew_state(0);
        if (command.what == TP_SHOW) tp_show(command.count);
    }
    return command;
}
