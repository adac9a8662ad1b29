/* The part of every generated harness that does not depend on the kernel; common subset of C99 and C++11.
 * The generated part defines tp_arrays, tp_describe, tp_fill and tp_call. Protocol: see source.py. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#define TP_C extern "C"
struct tp_pointer { /* converts to whatever pointer type the prototype asks for */
    void *to;
    template <class T> operator T *() const { return static_cast<T *>(to); }
};
#define TP_POINTER(index) (tp_pointer{tp_arrays[index].data})
#else
#define TP_C
#define TP_POINTER(index) ((void *)tp_arrays[index].data)
#endif

enum { TP_IN, TP_OUT, TP_INOUT };
enum { TP_EXIT_FAULT = 86, TP_EXIT_USAGE = 87, TP_EXIT_MEMORY = 88 };
#define TP_GUARD ((size_t)16 << 20) /* inaccessible bytes on both sides of an array */
#define TP_ALIGN ((size_t)64)
#define TP_CANARY 0xC7

typedef struct {
    const char *name;
    int direction;
    char kind; /* f floating, i signed, u unsigned, b boolean: NumPy's letters */
    size_t size, count;
    unsigned char *data, *pristine, *map;
    size_t mapped; /* accessible bytes, between the two guards */
} tp_array;

#define TP_KIND(T) ((T)0.5 == 0.5 ? 'f' : (T)2 == (T)1 ? 'b' : (T)-1 < (T)1 ? 'i' : 'u')
#define TP_ARRAY(name, direction, T, count) tp_describe_array(name, direction, TP_KIND(T), sizeof(T), (int64_t)(count))

static int tp_report = 2;

static void tp_say(const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length > (int)sizeof line - 1) length = (int)sizeof line - 1;
    if (write(tp_report, line, (size_t)length) != length) _exit(TP_EXIT_USAGE);
}

static void tp_fail(int status, const char *message) {
    tp_say("error %s\n", message);
    _exit(status);
}

static tp_array tp_describe_array(const char *name, int direction, char kind, size_t size, int64_t count) {
    tp_array array = {name, direction, kind, size, (size_t)count, NULL, NULL, NULL, 0};
    if (count < 0 || (uint64_t)count > ((uint64_t)1 << 46) / size) {
        tp_say("error the length of %s is %lld elements\n", name, (long long)count);
        _exit(TP_EXIT_USAGE);
    }
    return array;
}

/* --- defined by the generated part ---------------------------------------------------------------------------- */
#define TP_MAX_ARRAYS 64
static tp_array tp_arrays[TP_MAX_ARRAYS];
static int tp_array_count;
static void tp_describe(void);
static void tp_fill(uint64_t seed);
static void tp_call(void);

/* --- allocation ------------------------------------------------------------------------------------------------ */
/* Guarded: the array ends (to within 64-byte alignment) where an inaccessible region begins; the accessible bytes
 * around it hold a canary. */
static void tp_allocate_guarded(tp_array *array) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = array->size * array->count;
    array->mapped = (bytes + TP_ALIGN + page - 1) / page * page;
    unsigned char *map = (unsigned char *)mmap(NULL, array->mapped + 2 * TP_GUARD, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED || mprotect(map + TP_GUARD, array->mapped, PROT_READ | PROT_WRITE) != 0)
        tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    array->map = map + TP_GUARD;
    memset(array->map, TP_CANARY, array->mapped);
    array->data = array->map + (array->mapped - bytes) / TP_ALIGN * TP_ALIGN;
}

static void tp_allocate_plain(tp_array *array) {
    void *data = NULL;
    size_t bytes = array->size * array->count;
    if (posix_memalign(&data, TP_ALIGN, bytes ? bytes : 1) != 0) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    array->data = (unsigned char *)data;
}

static void tp_keep_pristine(void) {
    for (int i = 0; i < tp_array_count; i++) {
        tp_array *array = &tp_arrays[i];
        if (array->direction != TP_INOUT) continue;
        size_t bytes = array->size * array->count;
        array->pristine = (unsigned char *)malloc(bytes ? bytes : 1);
        if (!array->pristine) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
        memcpy(array->pristine, array->data, bytes);
    }
}

/* Outputs hold garbage before a call: what the kernel does not write is seen. Kind 0: NaN and 0xA5.. ; kind 1: an
 * ordinary number, so that adding to it shows, and 0x5A.. */
static void tp_poison_array(tp_array *array, int kind) {
    size_t bytes = array->size * array->count;
    if (array->kind != 'f')
        memset(array->data, array->kind == 'b' ? kind : kind ? 0x5A : 0xA5, bytes);
    else if (array->size == sizeof(float))
        for (size_t i = 0; i < array->count; i++) ((float *)array->data)[i] = kind ? -1234.5f : NAN;
    else if (array->size == sizeof(double))
        for (size_t i = 0; i < array->count; i++) ((double *)array->data)[i] = kind ? -1234.5 : NAN;
    else if (array->size == sizeof(long double))
        for (size_t i = 0; i < array->count; i++) {
            memset(array->data + i * array->size, 0, array->size); /* its padding too */
            ((long double *)array->data)[i] = kind ? -1234.5L : (long double)NAN;
        }
    else /* half precision: 0x7E.. is NaN, 0x5A5A is 203.25 */
        memset(array->data, kind ? 0x5A : 0x7E, bytes);
}

static void tp_restore(void) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].pristine)
            memcpy(tp_arrays[i].data, tp_arrays[i].pristine, tp_arrays[i].size * tp_arrays[i].count);
}

static void tp_poison(int kind) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].direction == TP_OUT) tp_poison_array(&tp_arrays[i], kind);
}

/* --- random numbers: a function of (seed, array, index), so that every process sees the same data --------------- */
static inline uint64_t tp_random(uint64_t seed, uint64_t array, uint64_t index) {
    uint64_t z = seed * 0xD1342543DE82EF95u + array * 0xDA942042E4DD58B5u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u; /* splitmix64 */
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double tp_uniform(uint64_t bits, double lo, double hi) {
    return lo + (hi - lo) * ((double)(bits >> 11) * (1.0 / 9007199254740992.0));
}

static inline int64_t tp_between(uint64_t bits, int64_t lo, int64_t hi) {
    uint64_t width = (uint64_t)hi - (uint64_t)lo + 1;
    return (int64_t)((uint64_t)lo + (width && hi >= lo ? bits % width : 0));
}

#define TP_RANDOM_REAL(T, a, seed, lo, hi) \
    for (size_t k = 0; k < tp_arrays[a].count; k++) \
        ((T *)tp_arrays[a].data)[k] = (T)tp_uniform(tp_random(seed, a, k), lo, hi)
#define TP_RANDOM_INTEGER(T, a, seed, lo, hi) \
    for (size_t k = 0; k < tp_arrays[a].count; k++) \
        ((T *)tp_arrays[a].data)[k] = (T)tp_between(tp_random(seed, a, k), lo, hi)
#define TP_RANDOM(T, a, seed) \
    do { \
        if (TP_KIND(T) == 'f') \
            TP_RANDOM_REAL(T, a, seed, -1.0, 1.0); \
        else \
            TP_RANDOM_INTEGER(T, a, seed, 0, TP_KIND(T) == 'b' ? 1 : sizeof(T) == 1 ? 127 : 255); \
    } while (0)

/* --- faults ---------------------------------------------------------------------------------------------------- */
static const char *tp_stack_base;

static void tp_on_fault(int number, siginfo_t *info, void *context) {
    const unsigned char *at = (const unsigned char *)info->si_addr;
    (void)context;
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (!array->map || at < array->map - TP_GUARD || at >= array->map + array->mapped + TP_GUARD) continue;
        if (at >= array->map && at < array->map + array->mapped)
            tp_say("fault read_only %s\n", array->name);
        else
            tp_say("fault out_of_bounds %s %lld %zu %zu\n", array->name, (long long)(at - array->data), array->count,
                   array->size);
        _exit(TP_EXIT_FAULT);
    }
    struct rlimit stack;
    if (number == SIGSEGV && getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY) {
        const char *low = tp_stack_base - stack.rlim_cur;
        if ((const char *)at < low + 65536 && (const char *)at > low - (120 << 20)) tp_say("fault stack\n");
    }
    signal(number, SIG_DFL); /* and the instruction faults again */
}

static void tp_catch_faults(void) {
    static unsigned char stack[65536];
    stack_t alternate;
    struct sigaction action;
    memset(&alternate, 0, sizeof alternate);
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tp_on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void tp_check_canaries(void) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        const unsigned char *end = array->data + array->size * array->count;
        for (const unsigned char *at = array->map; at < array->map + array->mapped; at++) {
            if (at == array->data) at = end;
            if (at >= array->map + array->mapped || *at == TP_CANARY) continue;
            tp_say("fault out_of_bounds %s %lld %zu %zu\n", array->name, (long long)(at - array->data), array->count,
                   array->size);
            _exit(TP_EXIT_FAULT);
        }
    }
}

/* The kernel's own allocations, when linked with --wrap: a refusal is said before the kernel trips over it. */
#ifdef TP_WRAP_MALLOC
TP_C void *__real_malloc(size_t);
TP_C void *__real_calloc(size_t, size_t);
TP_C void *__real_realloc(void *, size_t);
TP_C void *__real_aligned_alloc(size_t, size_t);
TP_C int __real_posix_memalign(void **, size_t, size_t);
TP_C void *__wrap_malloc(size_t size) {
    void *got = __real_malloc(size);
    if (!got && size) tp_say("refused %zu\n", size);
    return got;
}
TP_C void *__wrap_calloc(size_t count, size_t size) {
    void *got = __real_calloc(count, size);
    if (!got && size && count) tp_say("refused %.0f\n", (double)count * (double)size);
    return got;
}
TP_C void *__wrap_realloc(void *old, size_t size) {
    void *got = __real_realloc(old, size);
    if (!got && size) tp_say("refused %zu\n", size);
    return got;
}
TP_C void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *got = __real_aligned_alloc(alignment, size);
    if (!got && size) tp_say("refused %zu\n", size);
    return got;
}
TP_C int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    int status = __real_posix_memalign(out, alignment, size);
    if (status && size) tp_say("refused %zu\n", size);
    return status;
}
#endif

/* --- output ---------------------------------------------------------------------------------------------------- */
static int tp_open(const char *path, int flags) {
    int file = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) tp_fail(TP_EXIT_USAGE, "cannot open a file for the results");
    return file;
}

static void tp_write_outputs(int file) {
    for (int i = 0; i < tp_array_count; i++) {
        const unsigned char *at = tp_arrays[i].data;
        size_t rest = tp_arrays[i].direction == TP_IN ? 0 : tp_arrays[i].size * tp_arrays[i].count;
        while (rest) {
            ssize_t wrote = write(file, at, rest);
            if (wrote <= 0) tp_fail(TP_EXIT_USAGE, "cannot write the results");
            at += wrote;
            rest -= (size_t)wrote;
        }
    }
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

/* Wall time of a call; `waited`, if not NULL, grows by the part of it in which others ran. */
static double tp_timed_call(double *waited) {
    struct timespec from, to;
    tp_restore();
    double before = waited ? tp_waited() : 0;
    clock_gettime(CLOCK_MONOTONIC, &from);
    tp_call();
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (waited) {
        double lost = tp_waited() - before;
        *waited += lost < took ? lost : 0;
    }
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
#define TP_FAR 1.5    /* times the cutoff: farther than what an interrupted sample is off by, its wait left out */

static double tp_warm_up(const tp_plan *plan) {
    double started = tp_now(), last = tp_timed_call(NULL);
    while (tp_now() - started < plan->warmup_s) {
        double next = tp_timed_call(NULL);
        int steady = fabs(next - last) <= 0.02 * last;
        last = next;
        if (steady && tp_now() - started > plan->warmup_s / 10) break;
        if (plan->cutoff_s > 0 && last > plan->cutoff_s) break;
    }
    return last;
}

static void tp_time(const tp_plan *plan) {
    double *samples = (double *)malloc(2 * (size_t)plan->most * sizeof(double));
    if (!samples) tp_fail(TP_EXIT_MEMORY, "no memory for the samples");
    double clock_cost = tp_clock_cost(), last = tp_warm_up(plan);
    int inner = last > TP_SHORT ? 1 : last > TP_SHORT / 1000 ? (int)(TP_SHORT / last) + 1 : 1000;
    double started = tp_now(), least = 1e300, quickest = 1e300;
    tp_say("plan %d %.3e\n", inner, clock_cost);
    for (int n = 0, clean = 0; n < plan->most;) {
        tp_poison(1);
        double calibration = tp_calibrate(), total = 0, waited = 0;
        long interruptions = tp_interruptions();
        for (int i = 0; i < inner; i++) total += tp_timed_call(inner == 1 ? &waited : NULL);
        interruptions = tp_interruptions() - interruptions;
        double sample = (total - waited) / inner - clock_cost;
        if (sample < 1e-9) sample = 1e-9;
        samples[n++] = sample;
        clean += interruptions == 0;
        tp_say("sample %.9e %ld %.6e %.3e\n", sample, interruptions, calibration, waited);
        if (sample < least) least = sample;
        if (calibration < quickest) quickest = calibration;
        /* the best was measured when the machine was this much faster */
        double slower = plan->calibrated_s > 0 && quickest > plan->calibrated_s ? quickest / plan->calibrated_s : 1;
        double cutoff = plan->cutoff_s * slower;
        int probed = clean >= plan->probe || n >= 4 * plan->probe || (n >= plan->probe && least > TP_FAR * cutoff);
        if (plan->cutoff_s > 0 && probed && least > cutoff) {
            tp_say("cut %d\n", n);
            break;
        }
        double spent = tp_now() - started;
        if ((spent >= plan->budget_s && n >= 3) || spent >= 4 * plan->budget_s) break;
        /* what is behind for sure need not be known as well as what may lead: to a quarter of the distance */
        double behind = plan->best_s > 0 ? (least / (plan->best_s * slower) - 1) / 4 : 0;
        double enough = behind > plan->precision ? behind : plan->precision;
        if (n >= plan->least && tp_median_uncertainty(samples, n, samples + plan->most) <= enough) break;
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

static void tp_set_up(int guarded, uint64_t seed) {
    tp_describe();
    for (int i = 0; i < tp_array_count; i++) {
        if (guarded)
            tp_allocate_guarded(&tp_arrays[i]);
        else
            tp_allocate_plain(&tp_arrays[i]);
        if (tp_arrays[i].direction != TP_IN)
            tp_say("array %s %c%zu %zu\n", tp_arrays[i].name, tp_arrays[i].kind, tp_arrays[i].size, tp_arrays[i].count);
    }
    tp_fill(seed);
    tp_keep_pristine();
    for (int i = 0; guarded && i < tp_array_count; i++)
        if (tp_arrays[i].direction == TP_IN) mprotect(tp_arrays[i].map, tp_arrays[i].mapped, PROT_READ);
}

int main(int argc, char **argv) {
    char here;
    tp_stack_base = &here;
    const char *mode = tp_option(argc, argv, "mode", "check"), *outputs = tp_option(argc, argv, "outputs", NULL);
    const char *report = tp_option(argc, argv, "report", NULL);
    int calls = atoi(tp_option(argc, argv, "calls", "1")), guarded = strcmp(mode, "check") == 0;
    if (report) tp_report = tp_open(report, O_APPEND);
    if (guarded || strcmp(mode, "time") == 0) tp_catch_faults();
    tp_set_up(guarded, strtoull(tp_option(argc, argv, "seed", "1"), NULL, 10));
    int file = outputs ? tp_open(outputs, O_TRUNC) : -1;
    if (strcmp(mode, "time") == 0) {
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
        tp_time(&plan);
        if (file >= 0) tp_write_outputs(file);
    } else { /* check, sanitize (unguarded: the sanitizer's red zones do it), count */
        for (int call = 0; call < calls; call++) {
            tp_restore();
            tp_poison(call & 1);
            tp_call();
            if (guarded) tp_check_canaries();
            if (file >= 0) tp_write_outputs(file);
        }
    }
    tp_say("done\n");
    return 0;
}
