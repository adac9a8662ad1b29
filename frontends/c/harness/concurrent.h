/* mode=check stack=BYTES of every generated harness: each call is made by a thread of its own with that stack, the first
 * ones of two cases one after the other, the others at once. With apart=NS the first ones are made at once as well, the
 * second so much later. After checks.h. Functions of the thread library are looked up when they are needed, so that a
 * program that has no threads of its own does not look as if it had. */
TP_C void *tp_find_function(void *, const char *) __asm__("dlsym") __attribute__((weak));

typedef struct {
    tp_array arrays[TP_MAX_ARRAYS];
    tp_case c;
    unsigned char *results; /* outputs of all calls, one behind the other */
    int number, processor;  /* processor: -1 where any will do */
    double delay_s;
    unsigned char fault_stack[65536];
} tp_caller;

static tp_caller tp_callers[TP_MOST_THREADS];
static int tp_caller_count;
static volatile int tp_arrived, tp_expected; /* callers that make their call at this moment */
static volatile double tp_first_call_s;
static int (*tp_yield)(void);
static int (*tp_stay_on)(int, size_t, const void *); /* sched_setaffinity */

static void *tp_found_function(const char *name) {
    void *found = tp_find_function ? tp_find_function(NULL, name) : NULL;
    if (!found) tp_fail(TP_EXIT_USAGE, "this C library has no threads to call the kernel from");
    return found;
}

/* All of them begin at the same time; in turns one is a part of a call later than the other. */
static void tp_meet(const tp_caller *caller) {
    __sync_fetch_and_add(&tp_arrived, 1);
    for (unsigned long turns = 0; tp_arrived < tp_expected; turns++)
        if (turns > 100000) tp_yield();
    for (double from = tp_now(); caller->delay_s > 0 && tp_now() - from < caller->delay_s;) {}
}

static void tp_call_in_thread(tp_caller *caller) {
    tp_meet(caller);
    double from = tp_now();
    tp_rounded_call();
    if (!caller->number && tp_first_call_s == 0) tp_first_call_s = tp_now() - from;
}

static void *tp_call_from_thread(void *given) {
    tp_caller *caller = (tp_caller *)given;
    unsigned long processors[16] = {0};
    tp_arrays = caller->arrays;
    tp_handle_apart(caller->fault_stack, sizeof caller->fault_stack);
    if (caller->processor >= 0) {
        processors[caller->processor / 64] = 1ul << caller->processor % 64;
        tp_stay_on(0, sizeof processors, processors);
    }
#ifdef __cplusplus
    try {
        tp_call_in_thread(caller);
    } catch (...) {
        tp_say("fault thrown an exception\n");
        _exit(TP_EXIT_FAULT);
    }
#else
    tp_call_in_thread(caller);
#endif
    return NULL;
}

static void tp_choose_processors(void) {
    int (*allowed)(int, size_t, void *) = (int (*)(int, size_t, void *))tp_found_function("sched_getaffinity");
    unsigned long processors[16] = {0};
    int next = 0;
    for (int k = 0; k < TP_MOST_THREADS; k++) tp_callers[k].processor = -1;
    if (tp_caller_count < 2 || sizeof(long) != 8 || allowed(0, sizeof processors, processors) < 0) return;
    for (int p = 0; p < 1024 && next < tp_caller_count; p++)
        if (processors[p / 64] >> p % 64 & 1) tp_callers[next++].processor = p;
}

static void tp_make_stack(int number, size_t bytes) {
    unsigned char *map = (unsigned char *)mmap(NULL, TP_STACK_GUARD + bytes, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED || mprotect(map + TP_STACK_GUARD, bytes, PROT_READ | PROT_WRITE) != 0)
        tp_fail(TP_EXIT_MEMORY, "no memory for the stack of a thread");
    tp_stack_guards[number] = map;
}

/* One call of each of `count` callers from `first` on. A stack that is too small for the thread's own variables is too small. */
static void tp_call_at_once(int first, int count, size_t stack_bytes) {
    typedef struct {
        unsigned long long room[16]; /* more than any C library's pthread_attr_t */
    } tp_attributes;
    int (*begin)(tp_attributes *) = (int (*)(tp_attributes *))tp_found_function("pthread_attr_init");
    int (*place)(tp_attributes *, void *, size_t) =
        (int (*)(tp_attributes *, void *, size_t))tp_found_function("pthread_attr_setstack");
    int (*start)(unsigned long *, const tp_attributes *, void *(*)(void *), void *) =
        (int (*)(unsigned long *, const tp_attributes *, void *(*)(void *), void *))tp_found_function("pthread_create");
    int (*join)(unsigned long, void **) = (int (*)(unsigned long, void **))tp_found_function("pthread_join");
    unsigned long threads[TP_MOST_THREADS];
    tp_arrived = 0, tp_expected = count;
    for (int k = first; k < first + count; k++) {
        tp_attributes attributes;
        memset(&attributes, 0, sizeof attributes);
        if (begin(&attributes) != 0 || place(&attributes, tp_stack_guards[k] + TP_STACK_GUARD, stack_bytes) != 0)
            tp_fail(TP_EXIT_USAGE, "no thread has such a stack");
        if (start(&threads[k], &attributes, tp_call_from_thread, &tp_callers[k]) != 0) {
            tp_say("fault stack\n");
            _exit(TP_EXIT_FAULT);
        }
    }
    for (int k = first; k < first + count; k++) join(threads[k], NULL);
}

static void tp_check_in_threads(const char *cases, int calls, size_t stack_bytes, int apart_ns) {
    size_t bytes[TP_MOST_THREADS];
    tp_yield = (int (*)(void))tp_found_function("sched_yield");
    tp_stay_on = (int (*)(int, size_t, const void *))tp_found_function("sched_setaffinity");
    for (; *cases && tp_caller_count < TP_MOST_THREADS; tp_caller_count++) {
        tp_caller *caller = &tp_callers[tp_caller_count];
        caller->number = tp_caller_count, tp_arrays = caller->arrays;
        cases = tp_read_case(cases, &caller->c);
        tp_say("case %d\n", caller->number);
        tp_set_up_case(&caller->c);
        bytes[caller->number] = tp_output_bytes();
        caller->results = (unsigned char *)tp_new_memory((size_t)calls * bytes[caller->number] + 1);
        if (!caller->results) tp_fail(TP_EXIT_MEMORY, "no memory for the results");
        tp_make_stack(caller->number, stack_bytes);
    }
    tp_choose_processors();
    for (int call = 0; call < calls; call++) {
        for (int k = 0; k < tp_caller_count; k++) {
            tp_arrays = tp_callers[k].arrays;
            tp_callers[k].delay_s = call % 2 == k ? (double)(call / 2 % 8) / 8 * tp_first_call_s : 0;
            if (!call && apart_ns >= 0) tp_callers[k].delay_s = k ? apart_ns / 1e9 : 0;
            tp_restore();
            tp_poison_case(&tp_callers[k].c, (tp_callers[k].c.poison + call) & 1);
        }
        for (int k = 0; k < tp_caller_count && !call && apart_ns < 0; k++) tp_call_at_once(k, 1, stack_bytes);
        if (call || apart_ns >= 0) tp_call_at_once(0, tp_caller_count, stack_bytes);
        for (int k = 0; k < tp_caller_count; k++) {
            tp_arrays = tp_callers[k].arrays;
            tp_check_canaries();
            tp_log_end = tp_callers[k].results + (size_t)call * bytes[k];
            tp_write_outputs(TP_TO_LOG);
        }
    }
    for (int k = 0; k < tp_caller_count && tp_results >= 0; k++)
        tp_write(tp_results, tp_callers[k].results, (size_t)calls * bytes[k]);
    tp_arrays = tp_usual_arrays;
    tp_say_left();
}
