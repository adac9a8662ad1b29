/* Pauses where threads meet: what -fsanitize=thread calls at each access of memory and in the place of each atomic
 * operation, without libtsan. A thread lets others run between an atomic read and the write after it, where on a machine
 * at rest it would be interrupted once in a million calls. Interface: gcc's sanitizer.def and LLVM's tsan_interface.h,
 * tsan_interface_atomic.h. */
#include <stddef.h>
#include <string.h>
#include <time.h>
int sched_yield(void);

#define TP_ATOMIC_EVERY 2u   /* atomic operations, about, after which a thread pauses at first */
#define TP_ATOMIC_FIRST 64u  /* so many of them; */
#define TP_ATOMIC_LATER 32u  /* then it pauses after so many, that kernels with one in each step come to their end */
#define TP_PLAIN_MOST 65536u /* other accesses: the number is doubled after each pause up to this */
static __thread unsigned tp_drawn, tp_atomic_operations, tp_plain_left = 64, tp_plain_most = 128;
static unsigned tp_threads_seen;

static unsigned tp_draw_number(void) {
    if (!tp_drawn) tp_drawn = 2463534242u + 977u * __atomic_add_fetch(&tp_threads_seen, 1, __ATOMIC_RELAXED);
    tp_drawn ^= tp_drawn << 13, tp_drawn ^= tp_drawn >> 17, tp_drawn ^= tp_drawn << 5; /* Marsaglia (2003), xorshift */
    return tp_drawn;
}

static void tp_pause(void) {
    struct timespec moment = {0, (long)(tp_draw_number() % 32) * 1000};
    if (tp_draw_number() & 1)
        sched_yield();
    else
        nanosleep(&moment, NULL);
}

static void tp_after_atomic(void) {
    unsigned every = tp_atomic_operations++ < TP_ATOMIC_FIRST ? TP_ATOMIC_EVERY : TP_ATOMIC_LATER;
    if (tp_draw_number() % every == 0) tp_pause();
}

static void tp_at_access(void) {
    if (--tp_plain_left) return;
    if (tp_plain_most < TP_PLAIN_MOST) tp_plain_most *= 2;
    tp_plain_left = 1 + tp_draw_number() % tp_plain_most;
    sched_yield();
}

#define TP_ACCESS(name) \
    void __tsan_##name(void *at) { \
        (void)at; \
        tp_at_access(); \
    }
#define TP_ACCESSES(size) TP_ACCESS(read##size) TP_ACCESS(write##size) TP_ACCESS(volatile_read##size) TP_ACCESS(volatile_write##size)
#define TP_UNALIGNED(size) \
    TP_ACCESS(unaligned_read##size) \
    TP_ACCESS(unaligned_write##size) \
    TP_ACCESS(unaligned_volatile_read##size) \
    TP_ACCESS(unaligned_volatile_write##size)
TP_ACCESSES(1) TP_ACCESSES(2) TP_ACCESSES(4) TP_ACCESSES(8) TP_ACCESSES(16)
TP_UNALIGNED(2) TP_UNALIGNED(4) TP_UNALIGNED(8) TP_UNALIGNED(16)
TP_ACCESS(read_write1) TP_ACCESS(read_write2) TP_ACCESS(read_write4) TP_ACCESS(read_write8) TP_ACCESS(read_write16)
TP_ACCESS(vptr_read)

#define TP_NOTHING(name, formals) \
    void __tsan_##name formals {}
TP_NOTHING(init, (void))
TP_NOTHING(func_entry, (void *caller))
TP_NOTHING(func_exit, (void))
TP_NOTHING(vptr_update, (void **at, void *value))
TP_NOTHING(read_range, (void *at, unsigned long size))
TP_NOTHING(write_range, (void *at, unsigned long size))
TP_NOTHING(ignore_thread_begin, (void))
TP_NOTHING(ignore_thread_end, (void))
TP_NOTHING(atomic_signal_fence, (int order))
void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }
void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    tp_after_atomic();
}

/* Every order is taken for the strictest: pauses, not the processor's liberties, are what is tried. */
#define TP_UPDATE(bits, T, name, operation) \
    T __tsan_atomic##bits##_##name(volatile T *at, T value, int order) { \
        (void)order; \
        T before = operation(at, value, __ATOMIC_SEQ_CST); \
        tp_after_atomic(); \
        return before; \
    }
#define TP_EXCHANGE(bits, T, name) \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile T *at, T *expected, T value, int order, int otherwise) { \
        (void)order, (void)otherwise; \
        int done = __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        tp_after_atomic(); \
        return done; \
    }
#define TP_ATOMIC(bits, T) \
    T __tsan_atomic##bits##_load(const volatile T *at, int order) { \
        (void)order; \
        T value = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
        tp_after_atomic(); \
        return value; \
    } \
    void __tsan_atomic##bits##_store(volatile T *at, T value, int order) { \
        (void)order; \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
        tp_after_atomic(); \
    } \
    TP_UPDATE(bits, T, exchange, __atomic_exchange_n) \
    TP_UPDATE(bits, T, fetch_add, __atomic_fetch_add) \
    TP_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub) \
    TP_UPDATE(bits, T, fetch_and, __atomic_fetch_and) \
    TP_UPDATE(bits, T, fetch_or, __atomic_fetch_or) \
    TP_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor) \
    TP_UPDATE(bits, T, fetch_nand, __atomic_fetch_nand) \
    TP_EXCHANGE(bits, T, strong) \
    TP_EXCHANGE(bits, T, weak) \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *at, T expected, T value, int order, int otherwise) { \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, otherwise); \
        return expected; \
    }
TP_ATOMIC(8, unsigned char)
TP_ATOMIC(16, unsigned short)
TP_ATOMIC(32, unsigned int)
TP_ATOMIC(64, unsigned long long)
