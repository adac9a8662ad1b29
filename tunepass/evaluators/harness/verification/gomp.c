/* What gcc's OpenMP library synchronises, told to ThreadSanitizer, which cannot see it: linked with --wrap. The library's
 * threads wait for each other by system calls of its own, so that every parallel loop would look like a race. */
extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

typedef struct {
    void (*call)(void *);
    void *data;
} tp_region;

static int tp_regions, tp_barriers[2]; /* only their addresses count */
/* Barriers that this thread has passed in its region. No thread is more than one ahead of another: of two places in turn,
 * a slow thread cannot take the release at the next barrier for that at its own. */
static __thread unsigned tp_passed;

static void tp_run(void *given) { /* in every thread of a region */
    tp_region *region = (tp_region *)given;
    unsigned outside = tp_passed;
    tp_passed = 0;
    __tsan_acquire(&tp_regions);
    region->call(region->data);
    __tsan_release(&tp_regions);
    tp_passed = outside;
}

#define TP_REGION(name, formals, ...) \
    extern void __real_##name formals; \
    void __wrap_##name formals { \
        tp_region region = {call, data}; \
        __tsan_release(&tp_regions); \
        __real_##name(tp_run, &region, __VA_ARGS__); \
        __tsan_acquire(&tp_regions); \
    }
#define TP_LOOP(name) \
    TP_REGION(GOMP_parallel_loop_##name, \
              (void (*call)(void *), void *data, unsigned threads, long start, long end, long step, long chunk, \
               unsigned flags), \
              threads, start, end, step, chunk, flags)
#define TP_LOOP_AT_RUNTIME(name) \
    TP_REGION(GOMP_parallel_loop_##name, \
              (void (*call)(void *), void *data, unsigned threads, long start, long end, long step, unsigned flags), \
              threads, start, end, step, flags)
#define TP_BARRIER(name) \
    extern void __real_##name(void); \
    void __wrap_##name(void) { \
        int *place = &tp_barriers[tp_passed++ % 2]; \
        __tsan_release(place); \
        __real_##name(); \
        __tsan_acquire(place); \
    }
#define TP_LOCK(kind, formals, ...) \
    static int tp_##kind; \
    extern void __real_GOMP_##kind##_start formals; \
    extern void __real_GOMP_##kind##_end formals; \
    void __wrap_GOMP_##kind##_start formals { \
        __real_GOMP_##kind##_start(__VA_ARGS__); \
        __tsan_acquire(&tp_##kind); \
    } \
    void __wrap_GOMP_##kind##_end formals { \
        __tsan_release(&tp_##kind); \
        __real_GOMP_##kind##_end(__VA_ARGS__); \
    }

TP_REGION(GOMP_parallel, (void (*call)(void *), void *data, unsigned threads, unsigned flags), threads, flags)
TP_REGION(GOMP_parallel_sections,
          (void (*call)(void *), void *data, unsigned threads, unsigned count, unsigned flags), threads, count, flags)
TP_LOOP(static)
TP_LOOP(dynamic)
TP_LOOP(guided)
TP_LOOP(nonmonotonic_dynamic)
TP_LOOP(nonmonotonic_guided)
TP_LOOP_AT_RUNTIME(runtime)
TP_LOOP_AT_RUNTIME(nonmonotonic_runtime)
TP_LOOP_AT_RUNTIME(maybe_nonmonotonic_runtime)
TP_BARRIER(GOMP_barrier)
TP_BARRIER(GOMP_loop_end)
TP_BARRIER(GOMP_sections_end)
TP_LOCK(critical, (void))
TP_LOCK(critical_name, (void **lock), lock)
TP_LOCK(atomic, (void))
