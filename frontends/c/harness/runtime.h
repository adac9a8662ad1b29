/* The part of every generated harness that does not depend on the kernel; common subset of C99 and C++11.
 * The generated part defines tp_describe, tp_fill, tp_draw, tp_any_value, tp_pairs, tp_call and tp_settle; with a setup,
 * setup.h defines tp_begin_state, tp_renew_state and tp_end_state. Protocol: see source.py. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#if defined __linux__ && defined __has_include && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#define TP_FILTERS 1
#endif
#endif
/* Where the source is included, everything after it may use only what is included here, and nothing that sources poison:
 * this is for it. */
static void tp_free(void *memory) { free(memory); }
static void *tp_new_memory(size_t bytes) { return malloc(bytes); }
static int tp_integer(const char *text) { return atoi(text); }
static int tp_print(char *to, size_t size, const char *format, ...) {
    va_list words;
    va_start(words, format);
    int length = vsnprintf(to, size, format, words);
    va_end(words);
    return length;
}
static int tp_scan(const char *text, const char *format, ...) {
    va_list words;
    va_start(words, format);
    int count = vsscanf(text, format, words);
    va_end(words);
    return count;
}

#ifdef __cplusplus
#include <cxxabi.h>
#include <exception>
#include <new>
#define TP_C extern "C"
#define TP_GLOBAL ::
#define TP_TYPE_OF(value) __typeof__(value)
struct tp_pointer { /* converts to whatever pointer type the prototype asks for */
    void *to;
    template <class T> operator T *() const { return static_cast<T *>(to); }
};
#define TP_POINTER(index) (tp_pointer{tp_arrays[index].data})
#define TP_NO_POINTER (tp_pointer())
typedef bool tp_bool;
#else
#define TP_C
#define TP_GLOBAL
#define TP_TYPE_OF(value) __typeof__(((void)0, (value))) /* without _Atomic */
#define TP_POINTER(index) ((void *)tp_arrays[index].data)
#define TP_NO_POINTER ((void *)0)
typedef _Bool tp_bool;
#endif

enum { TP_IN, TP_OUT, TP_INOUT, TP_ROWS, TP_WORK }; /* TP_ROWS: the pointers to the rows of another array */
enum { TP_EXIT_FAULT = 86, TP_EXIT_USAGE = 87, TP_EXIT_MEMORY = 88 };
#define TP_GUARD ((size_t)16 << 20) /* inaccessible bytes on both sides of an array */
#define TP_ALIGN ((size_t)64)
#define TP_CANARY 0xC7

/* A number in an element that is a struct or complex, or `count` numbers of one type. Kind p: a pointer, which is told
 * as what it points into; o: one that leads to nothing that could be told. */
typedef struct {
    const char *path;
    char kind;
    size_t size, offset, count;
} tp_leaf;

/* Memory that is in several parts: `count` elements at `at`, of which the first is number `first` of all. `sorted` has the
 * same by address. */
typedef struct {
    unsigned char *at;
    size_t count, first;
} tp_piece;
typedef struct {
    tp_piece *all, *sorted;
    size_t count, room;
} tp_pieces;

typedef struct {
    const char *name;
    int direction;
    char kind; /* f floating, i signed, u unsigned, b boolean: NumPy's letters */
    size_t size, count;
    unsigned char *data, *pristine, *map;
    size_t mapped;             /* accessible bytes from `map`, between the two guards if there are */
    unsigned char *low, *high; /* what of them the kernel may touch; a canary fills the rest */
    const tp_leaf *leaves;     /* of an element that is no plain number */
    int leaf_count;
    unsigned char *fixed;      /* where it lies, if it is a variable of the source */
    size_t row;                /* elements of a row, if the kernel gets pointers to rows, and where those are in tp_arrays */
    int table;
    size_t alignment; /* bytes, at least */
    int place;        /* the number (from 1) of the place where it lies in what a setup makes; -1: a variable beside one */
    int filled;       /* a place whose contents are the harness's own, not those that the setup leaves */
    const tp_pieces *pieces; /* of a place that is in several */
    int unknown;             /* a place of which some memory has no known length, and is not compared */
} tp_array;

#define TP_KIND(T) ((double)(T)0.5 == 0.5 ? 'f' : (T)2 == (T)1 ? 'b' : (T)-1 < (T)1 ? 'i' : 'u')
#define TP_ARRAY(name, direction, T, count) \
    tp_describe_array(name, direction, TP_KIND(T), sizeof(T), (int64_t)(count), NULL, 0)
#define TP_RECORDS(name, direction, T, count, leaves) \
    tp_describe_array(name, direction, 's', sizeof(T), (int64_t)(count), leaves, (int)(sizeof(leaves) / sizeof *(leaves)))
#define TP_ROW_TABLE(name, count) tp_describe_array(name, TP_ROWS, 'p', sizeof(void *), (int64_t)(count), NULL, 0)
#define TP_WORK_ARRAY(name, T, count) \
    tp_describe_array(name, TP_WORK, 'u', sizeof(T), (int64_t)(count), NULL, 0)
#define TP_MEMBER(T, path, element, kind) \
    {#path, kind, sizeof(element), __builtin_offsetof(T, path), sizeof(((T *)0)->path) / sizeof(element)}
#define TP_PART(T, path, element, name, number) /* of a complex member */ \
    {#path "." name, 'f', sizeof(element), __builtin_offsetof(T, path) + number * sizeof(element), 1}

static int tp_report = 2;
static char tp_held[4096]; /* lines that were not sent yet */
static size_t tp_held_bytes;

static void tp_send(void) {
    if (tp_held_bytes && write(tp_report, tp_held, tp_held_bytes) != (ssize_t)tp_held_bytes) _exit(TP_EXIT_USAGE);
    tp_held_bytes = 0;
}

/* A line for the report, sent with later ones. */
static void tp_hold(const char *format, ...) {
    va_list list;
    if (tp_held_bytes > sizeof tp_held - 512) tp_send();
    va_start(list, format);
    int length = vsnprintf(tp_held + tp_held_bytes, 512, format, list);
    va_end(list);
    tp_held_bytes += length > 511 ? 511 : (size_t)length;
}

#define tp_say(...) (tp_hold(__VA_ARGS__), tp_send())

static void tp_fail(int status, const char *message) {
    tp_say("error %s\n", message);
    _exit(status);
}

static tp_array tp_describe_array(const char *name, int direction, char kind, size_t size, int64_t count,
                                  const tp_leaf *leaves, int leaf_count) {
    tp_array array = {name, direction, kind, size, (size_t)count, NULL, NULL, NULL, 0, NULL, NULL, leaves, leaf_count,
                      NULL, 0, 0, 1, 0, 0, NULL, 0};
    if (count < 0 || (uint64_t)count > ((uint64_t)1 << 46) / size) {
        tp_say("error the length of %s is %lld elements\n", name, (long long)count);
        _exit(TP_EXIT_USAGE);
    }
    return array;
}

static int tp_leaf_count(const tp_array *array) {
    return array->leaves ? array->leaf_count : 1;
}

static tp_leaf tp_leaf_of(const tp_array *array, int leaf) {
    tp_leaf whole = {"", array->kind, array->size, 0, 1};
    return array->leaves ? array->leaves[leaf] : whole;
}

/* One of them, or the whole array. */
static tp_array tp_piece_of(const tp_array *array, size_t piece) {
    tp_array part = *array;
    if (!array->pieces) return part;
    part.data = array->pieces->all[piece].at, part.count = array->pieces->all[piece].count, part.pieces = NULL;
    return part;
}

static size_t tp_piece_count(const tp_array *array) {
    return array->pieces ? array->pieces->count : 1;
}

static unsigned char *tp_element_at(const tp_array *array, size_t k) {
    if (!array->pieces) return array->data + k * array->size;
    size_t low = 0, high = array->pieces->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (array->pieces->all[middle].first <= k)
            low = middle;
        else
            high = middle;
    }
    return array->pieces->all[low].at + (k - array->pieces->all[low].first) * array->size;
}

/* --- defined by the generated part ---------------------------------------------------------------------------- */
#define TP_MAX_ARRAYS 64
static tp_array tp_usual_arrays[TP_MAX_ARRAYS];
static __thread tp_array *tp_arrays = tp_usual_arrays; /* of this thread's calls: others where two are made at once */
static int tp_array_count;
static void tp_describe(void);
static void tp_fill(uint64_t seed);
static int tp_draw(int array, size_t k, uint64_t bits); /* element k anew; 0 where the array's contents are fixed */
static void tp_call(void);
static void tp_settle(void); /* after a call: what it left in containers comes back into the arrays */
static void tp_begin_state(uint64_t seed); /* what the user's setup makes, anew, before tp_describe */
static void tp_renew_state(int always); /* the same between calls, where the last one may have changed it, or always */
static void tp_end_state(void);
static int tp_state_kept;       /* it is made once: the kernel writes nothing of it but the places */
static int tp_set; /* which of the kernel's sizes: 0 is the one it is tuned at */
static size_t tp_check_alignment = 1; /* bytes, of guarded arrays: 1 stands for that of their elements */

/* --- allocation ------------------------------------------------------------------------------------------------ */
/* Guarded: accessible memory, `bytes` of which are the array's, between two inaccessible regions; the array lies at its
 * start, or at its end to within tp_check_alignment; or so many bytes (less than TP_ALIGN) `inwards`. */
static void tp_allocate_guarded(tp_array *array, int at_start, size_t bytes, size_t inwards) {
    if (array->fixed) {
        array->data = array->fixed;
        return;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    array->mapped = (bytes + TP_ALIGN + page - 1) / page * page;
    unsigned char *map = (unsigned char *)mmap(NULL, array->mapped + 2 * TP_GUARD, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED || mprotect(map + TP_GUARD, array->mapped, PROT_READ | PROT_WRITE) != 0)
        tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    array->map = map + TP_GUARD;
    memset(array->map, TP_CANARY, array->mapped);
    size_t alignment = array->alignment > tp_check_alignment ? array->alignment : tp_check_alignment;
    array->low = array->map + (at_start ? inwards : (array->mapped - bytes) / alignment * alignment - inwards);
    array->high = array->low + bytes;
    array->data = array->low;
}

/* Aligned, with a canary on both sides. */
static void tp_allocate_plain(tp_array *array) {
    void *map = NULL;
    if (array->fixed) {
        array->data = array->fixed;
        return;
    }
    size_t bytes = array->size * array->count;
    array->mapped = bytes + 2 * TP_ALIGN;
    if (posix_memalign(&map, TP_ALIGN, array->mapped) != 0) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    array->map = (unsigned char *)map;
    array->low = array->data = array->map + TP_ALIGN;
    array->high = array->low + bytes;
    memset(array->map, TP_CANARY, TP_ALIGN);
    memset(array->high, TP_CANARY, TP_ALIGN);
}

/* Exactly as long as it is said to be: a sanitizer or valgrind watches its ends. */
static void tp_allocate_bare(tp_array *array) {
    void *data = NULL;
    if (array->fixed) {
        array->data = array->fixed;
        return;
    }
    size_t bytes = array->size * array->count;
    if (posix_memalign(&data, TP_ALIGN, bytes ? bytes : 1) != 0) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    array->data = (unsigned char *)data;
}

static void tp_keep_pristine_array(tp_array *array) {
    size_t bytes = array->size * array->count;
    if (!array->pristine) array->pristine = (unsigned char *)malloc(bytes ? bytes : 1);
    if (!array->pristine) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    unsigned char *to = array->pristine;
    for (size_t i = 0; i < tp_piece_count(array); i++) {
        tp_array part = tp_piece_of(array, i);
        memcpy(to, part.data, part.size * part.count);
        to += part.size * part.count;
    }
}

static void tp_restore_array(const tp_array *array) {
    const unsigned char *from = array->pristine;
    for (size_t i = 0; i < tp_piece_count(array); i++) {
        tp_array part = tp_piece_of(array, i);
        memcpy(part.data, from, part.size * part.count);
        from += part.size * part.count;
    }
}

/* A place of the setup's is as that leaves it, unless the harness fills it or the setup runs only once. */
static int tp_is_restored(const tp_array *array) {
    return array->direction >= TP_INOUT && (!array->place || array->filled || tp_state_kept);
}

static void tp_keep_pristine(void) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_is_restored(&tp_arrays[i])) tp_keep_pristine_array(&tp_arrays[i]);
}

/* Where row r of so many lies: from the end, with the second and third changed, and so on: rows are not equally far apart. */
static size_t tp_row_place(size_t r, size_t count) {
    if (r % 2 == 1 && r + 1 < count) return count - 2 - r;
    return r > 0 && r % 2 == 0 ? count - r : count - 1 - r;
}

/* The pointers to the rows of every array that has them, scattered where a kernel shall not take one row to follow
 * another in memory. */
static void tp_set_rows(int scattered) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i], *table = &tp_arrays[array->table];
        for (size_t r = 0; array->row && r < table->count; r++) {
            unsigned char *at = array->data + (scattered ? tp_row_place(r, table->count) : r) * array->row * array->size;
            memcpy(table->data + r * sizeof at, &at, sizeof at);
        }
    }
}

/* Where row r of an array begins, as the pointers of its table say, which the pointers of another table may lead to;
 * NULL where a pointer leads out of what it should lead into. */
static unsigned char *tp_row_at(const tp_array *array, size_t r) {
    const tp_array *table = &tp_arrays[array->table];
    const unsigned char *pointers = table->data + r * sizeof pointers;
    unsigned char *row;
    if (table->row) {
        pointers = tp_row_at(table, r / table->row);
        if (!pointers) return NULL;
        pointers += r % table->row * sizeof pointers;
    }
    memcpy(&row, pointers, sizeof row);
    uintptr_t at = (uintptr_t)row, low = (uintptr_t)array->data;
    return at < low || at + array->size * array->row > low + array->size * array->count ? NULL : row;
}

/* Outputs hold garbage before a call: what the kernel does not write is seen. Kind 0: NaN and 0xA5.. ; kind 1: an
 * ordinary number, so that adding to it shows, and 0x5A.. */
static void tp_poison_number(unsigned char *at, char kind, size_t size, int pattern) {
    if (kind != 'f') {
        memset(at, kind == 'b' ? pattern : pattern ? 0x5A : 0xA5, size);
    } else if (size == sizeof(float)) {
        *(float *)at = pattern ? -1234.5f : NAN;
    } else if (size == sizeof(double)) {
        *(double *)at = pattern ? -1234.5 : NAN;
    } else if (size == sizeof(long double)) {
        memset(at, 0, size); /* its padding too */
        *(long double *)at = pattern ? -1234.5L : (long double)NAN;
    } else { /* half precision: 0x7E.. is NaN, 0x5A5A is 203.25 */
        memset(at, pattern ? 0x5A : 0x7E, size);
    }
}

static void tp_poison_leaf(tp_array *array, const tp_leaf *leaf, int pattern) {
    for (size_t k = 0; k < array->count; k++)
        for (size_t j = 0; j < leaf->count; j++)
            tp_poison_number(array->data + k * array->size + leaf->offset + j * leaf->size, leaf->kind, leaf->size, pattern);
}

static void tp_poison_piece(tp_array *array, int pattern) {
    for (int i = 0; i < array->leaf_count; i++) tp_poison_leaf(array, &array->leaves[i], pattern);
    if (array->leaves) return;
    if (array->kind != 'f')
        memset(array->data, array->kind == 'b' ? pattern : pattern ? 0x5A : 0xA5, array->size * array->count);
    else if (array->size == sizeof(float))
        for (size_t i = 0; i < array->count; i++) ((float *)array->data)[i] = pattern ? -1234.5f : NAN;
    else if (array->size == sizeof(double))
        for (size_t i = 0; i < array->count; i++) ((double *)array->data)[i] = pattern ? -1234.5 : NAN;
    else
        for (size_t i = 0; i < array->count; i++)
            tp_poison_number(array->data + i * array->size, array->kind, array->size, pattern);
}

static void tp_poison_array(const tp_array *array, int pattern) {
    for (size_t i = 0; i < tp_piece_count(array); i++) {
        tp_array part = tp_piece_of(array, i);
        tp_poison_piece(&part, pattern);
    }
}

static void tp_restore(void) {
    tp_renew_state(0);
    for (int i = 0; i < tp_array_count; i++)
        if (tp_arrays[i].pristine) tp_restore_array(&tp_arrays[i]);
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

/* At which end of its range a number of array `index` is drawn: 1 is the lower one, 2 the upper one, 0 at none. `tp_ends`
 * tells it: 0 at none, 1 at both or none by chance, 2 at the lower end, 3 at the upper one, 4 at one of them, by chance the
 * same for a whole array; 5 at none, but at a round number within the range (TP_AT_ROUND); 6 at none, but whole numbers count
 * from the lower end as the places of their neighbours do, those before them or those behind them (TP_IN_CHAIN). */
#define TP_AT_ROUND 3
#define TP_IN_CHAIN 4
#define TP_CHAINS 6
static int tp_ends;
static uint64_t tp_end_seed;
__attribute__((unused)) static inline int tp_end_of(uint64_t bits, int index) {
    if (tp_ends == 1) return (int)((bits >> 20) % 3);
    if (tp_ends == 4) return 1 + (int)(tp_random(tp_end_seed, (uint64_t)index, 0) & 1);
    if (tp_ends == TP_CHAINS) return TP_IN_CHAIN;
    return tp_ends == 5 ? TP_AT_ROUND : tp_ends ? tp_ends - 1 : 0;
}

/* Near x a quarter or a whole number, or a zero, of either sign in a range of negative numbers too; x itself where that is not within the range. */
static double tp_round_real(uint64_t bits, double x, double lo, double hi) {
    const double parts = bits & 1 ? 4.0 : 1.0;
    double near = bits & 2 && lo < 0.0 ? -0.0 : 0.0;
    if (bits & 12) near = x > -1e12 && x < 1e12 ? (double)(int64_t)(x * parts + (x < 0.0 ? -0.5 : 0.5)) / parts : x;
    return near < lo || near > hi ? x : near;
}

/* Not negative: a power of two or of ten, a square, a small number or a small multiple of a power of two that is large
 * beside `most`, as hash functions confuse them; or a neighbour of it. */
static int64_t tp_round_whole(uint64_t bits, int64_t most) {
    const uint64_t drawn = bits >> 8, root = (bits >> 32) >> drawn % 32;
    uint64_t near = drawn % 16;
    for (int64_t left = most; bits & 64 && left >= 16; left /= 2) near *= 2;
    if (bits % 4 == 1) near = (uint64_t)1 << drawn % 62;
    if (bits % 4 == 2) near = root < 3000000000u ? root * root : root;
    if (bits % 4 == 3) near = 1;
    for (uint64_t k = drawn % 19; bits % 4 == 3 && k; k--) near *= 10;
    near += (bits >> 2) % 3;
    return near ? (int64_t)near - 1 : 0;
}

/* The place of the neighbour of element k in a range of so many numbers (0: 2^64); an end of the array has none but itself. */
static uint64_t tp_neighbour(uint64_t k, uint64_t width) {
    if (tp_end_seed & 1) return width && k + 1 >= width ? width - 1 : k + 1;
    if (k == 0) return 0;
    return width ? (k - 1) % width : k - 1;
}

__attribute__((unused)) static inline double tp_uniform(uint64_t bits, double lo, double hi, int end) {
    if (end == 1 || end == 2) return end == 1 || hi < lo ? lo : hi;
    const double x = lo + (hi - lo) * ((double)(bits >> 11) * (1.0 / 9007199254740992.0));
    return end == TP_AT_ROUND ? tp_round_real(bits, x, lo, hi) : x;
}

__attribute__((unused)) static inline int64_t tp_between(uint64_t bits, int64_t lo, int64_t hi, int end) {
    if (hi < lo || end == 1) return lo;
    if (end && end < TP_AT_ROUND) return hi;
    const uint64_t width = (uint64_t)hi - (uint64_t)lo + 1;
    if (end == TP_IN_CHAIN) return (int64_t)((uint64_t)lo + tp_neighbour(bits, width));
    const int64_t size = end ? tp_round_whole(bits, hi) : 0, near = bits & 128 && lo < 0 ? -size : size;
    if (end && near >= lo && near <= hi) return near;
    return (int64_t)((uint64_t)lo + (width ? bits % width : 0));
}

/* The range that the pragma gives for an array's numbers; whole ones have that of int64_t. */
typedef struct {
    double lo, hi;
    int64_t least, most;
} tp_range;
#define TP_SET_RANGE(range, array, low, high)                                         \
    do {                                                                              \
        (range)->lo = (double)(low), (range)->hi = (double)(high);                    \
        (range)->least = (array).kind == 'f' ? 0 : (int64_t)(low);                    \
        (range)->most = (array).kind == 'f' ? 0 : (int64_t)(high);                    \
    } while (0)

#define TP_LEAST(T) (TP_KIND(T) == 'f' ? -1 : 0) /* of the default range */
#define TP_MOST(T) (TP_KIND(T) == 'f' || TP_KIND(T) == 'b' ? 1 : sizeof(T) == 1 ? 127 : 255)
/* A number of type T at `at`. Only one branch has a meaning for T, and only that is ever taken. */
#define TP_PUT(T, at, bits, lo, hi, end) \
    (TP_KIND(T) == 'f' ? (void)(*(T *)(at) = (T)tp_uniform(bits, (double)(lo), (double)(hi), end)) \
                       : (void)(*(T *)(at) = (T)tp_between(bits, (int64_t)(lo), (int64_t)(hi), end)))
#define TP_DRAW(T, a, k, bits, lo, hi) \
    TP_PUT(T, tp_arrays[a].data + (k) * sizeof(T), TP_KIND(T) != 'f' && tp_ends == TP_CHAINS ? (uint64_t)(k) : (bits), \
           lo, hi, tp_end_of(bits, a))
#define TP_RANDOM(T, a, seed, lo, hi) \
    for (size_t k = 0; k < tp_arrays[a].count; k++) TP_DRAW(T, a, k, tp_random(seed, a, k), lo, hi)
/* Of the numbers of a leaf of element k. Numbers of further leaves are random for themselves. */
#define TP_DRAW_LEAF(T, a, leaf, k, bits, lo, hi) \
    for (size_t j = 0; j < tp_arrays[a].leaves[leaf].count; j++) \
        TP_PUT(T, tp_arrays[a].data + (k) * tp_arrays[a].size + tp_arrays[a].leaves[leaf].offset + j * sizeof(T), \
               tp_random(bits, leaf, j), lo, hi, tp_end_of(tp_random(bits, leaf, j), a))
#define TP_RANDOM_LEAF(T, a, leaf, seed, lo, hi) \
    for (size_t k = 0; k < tp_arrays[a].count; k++) TP_DRAW_LEAF(T, a, leaf, k, tp_random(seed, a, k), lo, hi)

/* Of the values in a table. */
#define TP_DRAW_OF(T, a, k, bits, values) \
    (((T *)tp_arrays[a].data)[k] = (values)[(bits) % (sizeof(values) / sizeof *(values))])
#define TP_RANDOM_OF(T, a, seed, values) \
    for (size_t k = 0; k < tp_arrays[a].count; k++) TP_DRAW_OF(T, a, k, tp_random(seed, a, k), values)

/* --- faults ---------------------------------------------------------------------------------------------------- */
static const char *tp_stack_base;

static const char *tp_user_function; /* the setup or the teardown, while it runs */

#define TP_MOST_THREADS 2
#define TP_STACK_GUARD ((size_t)64 << 20) /* inaccessible bytes below the stack of a thread of the harness's own */
static unsigned char *tp_stack_guards[TP_MOST_THREADS];

static int tp_guarded; /* inaccessible regions are around the arrays */

/* Where a kernel may have variables and what it allocates holds this before a call, other bytes before the next one: NaN or
 * huge numbers, so that one that takes it for zeros is seen. */
#define TP_SOILED_STACK ((size_t)512 << 10)
#define TP_SOILED_BLOCK ((size_t)16 << 20) /* of an allocation, at most */
static int tp_soil = 0xFF;

static __attribute__((noinline)) void tp_soil_stack(int pattern) {
    unsigned char room[TP_SOILED_STACK];
    memset(room, pattern, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void tp_soil_memory(int turn) {
    struct rlimit stack;
    tp_soil = turn & 1 ? 0x7F : 0xFF;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur >= 8 * TP_SOILED_STACK) tp_soil_stack(tp_soil);
}

static void tp_on_fault(int number, siginfo_t *info, void *context) {
    const unsigned char *at = (const unsigned char *)info->si_addr;
    (void)context;
    if (tp_user_function) {
        tp_say("fault setup %s ends with signal %d\n", tp_user_function, number);
        _exit(TP_EXIT_FAULT);
    }
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (!tp_guarded || !array->map || at < array->map - TP_GUARD || at >= array->map + array->mapped + TP_GUARD) continue;
        if (at >= array->map && at < array->map + array->mapped)
            tp_say("fault read_only %s\n", array->name);
        else
            tp_say("fault out_of_bounds %s %lld %zu %zu\n", array->name, (long long)(at - array->data), array->count,
                   array->size);
        _exit(TP_EXIT_FAULT);
    }
    for (int k = 0; k < TP_MOST_THREADS; k++)
        if (tp_stack_guards[k] && at >= tp_stack_guards[k] && at < tp_stack_guards[k] + TP_STACK_GUARD) {
            tp_say("fault stack\n");
            _exit(TP_EXIT_FAULT);
        }
    struct rlimit stack;
    if (number == SIGSEGV && getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY) {
        const char *low = tp_stack_base - stack.rlim_cur;
        if ((const char *)at < low + 65536 && (const char *)at > low - (120 << 20)) tp_say("fault stack\n");
    }
    /* the handler is gone: the instruction faults again */
}

/* Faults of this thread, a stack overflow among them, are handled on another stack. */
static void tp_handle_apart(unsigned char *stack, size_t bytes) {
    stack_t alternate;
    memset(&alternate, 0, sizeof alternate);
    alternate.ss_sp = stack;
    alternate.ss_size = bytes;
    sigaltstack(&alternate, NULL);
}

static void tp_catch_faults(void) {
    static unsigned char stack[65536];
    struct sigaction action;
    tp_handle_apart(stack, sizeof stack);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tp_on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* What the kernel's file set up before main neither interrupts the harness nor tells it anything: handlers of signals,
 * blocked signals, timers. */
static void tp_forget_signals(void) {
#ifdef __linux__
    const unsigned char none[256] = {0}; /* of sigaction, as Linux has it: the usual action */
    const struct itimerval never = {{0, 0}, {0, 0}};
    sigset_t blocked;
    sigemptyset(&blocked);
    setitimer(ITIMER_REAL, &never, NULL), setitimer(ITIMER_VIRTUAL, &never, NULL), setitimer(ITIMER_PROF, &never, NULL);
    for (int timer = 0; timer < 64; timer++) syscall(SYS_timer_delete, timer);
    for (int number = 1; number <= 64; number++) syscall(SYS_rt_sigaction, number, none, NULL, (size_t)8);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
#endif
}

/* From here on nobody sets traps by which a kernel could see that it is looked at: no handlers of the signals that traps
 * and timers send, no filters of system calls. */
static void tp_refuse_traps(void) {
#ifdef TP_FILTERS
#define TP_LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, what))
#define TP_IF(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, skip)
#define TP_IF_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), skip, 0)
#define TP_RETURN(what) BPF_STMT(BPF_RET | BPF_K, (unsigned)(what))
    static struct sock_filter steps[] = {
        TP_LOAD(nr),
        TP_IF(SYS_seccomp, 1), TP_RETURN(SECCOMP_RET_ERRNO | 1),
        TP_IF(SYS_prctl, 4), TP_LOAD(args[0]), TP_IF(PR_SET_SECCOMP, 1), TP_RETURN(SECCOMP_RET_ERRNO | 1),
        TP_RETURN(SECCOMP_RET_ALLOW),
        TP_IF(SYS_rt_sigaction, 9), TP_LOAD(args[0]),
        TP_IF_NOT(SIGSEGV, 6), TP_IF_NOT(SIGBUS, 5), TP_IF_NOT(SIGTRAP, 4), TP_IF_NOT(SIGSYS, 3), TP_IF_NOT(SIGALRM, 2),
        TP_IF_NOT(SIGPROF, 1), TP_RETURN(SECCOMP_RET_ALLOW), TP_RETURN(SECCOMP_RET_ERRNO | 1),
        TP_RETURN(SECCOMP_RET_ALLOW),
    };
    static const struct sock_fprog program = {(unsigned short)(sizeof steps / sizeof *steps), steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}

static void tp_check_canaries(void) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (!array->map) continue;
        for (const unsigned char *at = array->map; at < array->map + array->mapped; at++) {
            if (at == array->low) at = array->high;
            if (at >= array->map + array->mapped || *at == TP_CANARY) continue;
            tp_say("fault out_of_bounds %s %lld %zu %zu\n", array->name, (long long)(at - array->data), array->count,
                   array->size);
            _exit(TP_EXIT_FAULT);
        }
    }
}

/* The allocations that the setup makes: how long the memory is that its pointers lead to. */
typedef struct {
    unsigned char *at;
    size_t bytes, turn; /* which of them it is */
} tp_block;
__attribute__((unused)) static tp_block *tp_blocks;
__attribute__((unused)) static size_t tp_block_count;

/* The kernel's own allocations, when linked with --wrap: a refusal is said before the kernel trips over it. */
#ifdef TP_WRAP_MALLOC
TP_C void *__real_malloc(size_t);
TP_C void *__real_calloc(size_t, size_t);
TP_C void *__real_realloc(void *, size_t);
TP_C void *__real_aligned_alloc(size_t, size_t);
TP_C int __real_posix_memalign(void **, size_t, size_t);
static void tp_note_block(void *got, size_t size) {
    static size_t room;
    if (!tp_user_function || !got) return;
    if (tp_block_count == room) {
        tp_block *more = (tp_block *)__real_realloc(tp_blocks, (2 * room + 64) * sizeof *more);
        if (!more) return;
        tp_blocks = more, room = 2 * room + 64;
    }
    tp_blocks[tp_block_count].at = (unsigned char *)got, tp_blocks[tp_block_count].bytes = size;
    tp_blocks[tp_block_count].turn = tp_block_count, tp_block_count++;
}
/* What the setup or a checked kernel allocates holds a pattern from `first` on. M_PERTURB alone leaves small chunks that were freed before as
 * they are; the room behind what was asked for is filled too, as realloc may give it out. */
#define TP_PATTERN 0x5A
static void tp_fill_block(void *got, size_t first, size_t size) {
    if (!(tp_user_function || tp_guarded) || !got) return;
#ifdef M_PERTURB
    size_t usable = malloc_usable_size(got);
    size = usable > size ? usable : size;
#endif
    if (!tp_user_function && size > TP_SOILED_BLOCK) size = TP_SOILED_BLOCK;
    if (first < size) memset((unsigned char *)got + first, tp_user_function ? TP_PATTERN ^ 0xFF : tp_soil, size - first);
}
TP_C void *__wrap_malloc(size_t size) {
    void *got = __real_malloc(size);
    if (!got && size) tp_say("refused %zu\n", size);
    tp_fill_block(got, 0, size);
    tp_note_block(got, size);
    return got;
}
TP_C void *__wrap_calloc(size_t count, size_t size) {
    void *got = __real_calloc(count, size);
    if (!got && size && count) tp_say("refused %.0f\n", (double)count * (double)size);
    tp_note_block(got, count * size);
    return got;
}
TP_C void *__wrap_realloc(void *old, size_t size) {
    size_t first = size;
#ifdef M_PERTURB
    if (tp_user_function || tp_guarded) first = malloc_usable_size(old);
#endif
    void *got = __real_realloc(old, size);
    tp_fill_block(got, first, size);
    if (!got && size) tp_say("refused %zu\n", size);
    tp_note_block(got, size);
    return got;
}
TP_C void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *got = __real_aligned_alloc(alignment, size);
    tp_fill_block(got, 0, size);
    if (!got && size) tp_say("refused %zu\n", size);
    tp_note_block(got, size);
    return got;
}
TP_C int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    int status = __real_posix_memalign(out, alignment, size);
    if (status && size) tp_say("refused %zu\n", size);
    if (!status) tp_fill_block(*out, 0, size), tp_note_block(*out, size);
    return status;
}
#endif
