/* The expression virtual machine: register code over blocks of columns. See tunepass/expr/program.py for the compiler.
 *
 * A register is a block of TP_VM_BLOCK int64 or double elements. The first registers are input columns of 8-byte
 * elements, read in place; then constants; then temporaries. Booleans are 0 and 1 in full width inside.
 */
#include "tunepass_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vm_ops.h"

#define TP_VM_BLOCK 512
#define MAGIC 0x1.8p52 /* adding it leaves an integer below 2**51 in the low bits of the double */

enum {
#define X(name, operands, body) OP_##name,
    TP_VM_ELEMENTWISE(X)
#undef X
#define X(name, operands) OP_##name,
        TP_VM_OTHER(X)
#undef X
};

const char *tp_vm_operations(void)
{
    return
#define X(name, operands, body) #name " " #operands "\n"
        TP_VM_ELEMENTWISE(X)
#undef X
#define X(name, operands) #name " " #operands "\n"
            TP_VM_OTHER(X)
#undef X
        ;
}

static inline int64_t floordiv(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return b == 0 ? 0 : (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - ((a % b != 0) & ((a < 0) != (b < 0)));
}

static inline int64_t modulo(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return 0;
    int64_t r = a % b;
    return r + ((r != 0) & ((r < 0) != (b < 0)) ? b : 0);
}

static inline int64_t ceildiv(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return b == 0 ? 0 : (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q + ((a % b != 0) & ((a < 0) == (b < 0)));
}

/* For |a| < 2**51: conversions that need no int64-double instruction, which AVX2 lacks. */
static inline double to_real(int64_t a)
{
    double magic = MAGIC, d;
    int64_t bits;
    memcpy(&bits, &magic, 8);
    bits += a;
    memcpy(&d, &bits, 8);
    return d - magic;
}

static inline int64_t to_int(double d)
{
    double magic = MAGIC;
    int64_t bits, base;
    d += magic;
    memcpy(&bits, &d, 8);
    memcpy(&base, &magic, 8);
    return bits - base;
}

/* For whole |a|, |b| < 2**51. The nearest integer to a / b is the floor or one more, and the remainder says which;
 * every product and difference here is exact. */
static inline int64_t small_floordiv(double a, double b)
{
    double q = (a / b + MAGIC) - MAGIC, r = a - q * b, r_up = b > 0 ? r : -r;
    return to_int(q) - (r_up < 0);
}

static inline double small_mod(double a, double b)
{
    double q = (a / b + MAGIC) - MAGIC, r = a - q * b;
    return r + ((b > 0 ? r < 0 : r > 0) ? b : 0.0);
}

static inline int64_t power(int64_t a, int64_t b, int *over)
{
    int64_t r = 1;
    int wraps = 0; /* the square has wrapped; an overflow once it is used */
    for (; b > 0 && (a != 1 || wraps); b >>= 1) {
        if (b & 1)
            *over |= wraps | __builtin_mul_overflow(r, a, &r);
        if (a == 0 && !wraps) /* further factors are 0 too; r is settled if one was taken */
            return b & 1 ? r : 0;
        wraps |= __builtin_mul_overflow(a, a, &a);
        if (*over)
            return r;
    }
    return r;
}

static inline int64_t gcd(int64_t x, int64_t y)
{
    uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;
    while (b) {
        uint64_t r = (a | b) >> 32 ? a % b : (uint32_t)a % (uint32_t)b;
        a = b;
        b = r;
    }
    return (int64_t)a; /* 2**63 shows as negative */
}

static inline int64_t lcm(int64_t x, int64_t y, int *over)
{
    int64_t g = gcd(x, y), r;
    if (x == 0 || y == 0)
        return 0;
    *over |= g < 0 ? __builtin_mul_overflow((int64_t)1, y, &r) : __builtin_mul_overflow(x / g, y, &r);
    *over |= r == INT64_MIN;
    return r < 0 ? (int64_t)(0 - (uint64_t)r) : r;
}

static inline int shl_overflows(int64_t a, int64_t b)
{
    if (a == 0)
        return 0;
    return b > 63 || ((int64_t)((uint64_t)a << b) >> b) != a;
}

/* Python's float.__mod__ and __floordiv__ (Objects/floatobject.c). */
static inline double mod_real(double a, double b)
{
    double r = fmod(a, b);
    if (r == 0)
        return copysign(0.0, b);
    return (b < 0) != (r < 0) ? r + b : r;
}

static inline double floordiv_real(double a, double b)
{
    double r = fmod(a, b), q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0))
        q -= 1.0;
    if (q == 0)
        return copysign(0.0, a / b);
    double whole = floor(q);
    return q - whole > 0.5 ? whole + 1.0 : whole;
}

static inline int64_t truncated(double d) { return (d >= -0x1p63) & (d < 0x1p63) ? (int64_t)d : 0; }

typedef struct {
    const int32_t *code; /* operation, result, a, b, c */
    int32_t length;
    const int64_t *constants;
    const void *const *inputs;
    void *const *outputs;
} program;

/* Runs one block of m elements from `base`. Returns the element at which an output overflows, or -1. */
TP_CLONES int64_t tp_vm_block(const program *p, int64_t *const *registers, int64_t base, int64_t m)
{
    for (int32_t pc = 0; pc < p->length; pc++) {
        const int32_t *word = p->code + 5 * pc;
        int32_t a = word[2], b = word[3], c = word[4];
        int64_t *r = word[1] >= 0 ? registers[word[1]] : NULL;
        (void)c;
        switch (word[0]) {
#define A ra[i]
#define B rb[i]
#define C rc[i]
#define R r[i]
#define DA ((const double *)ra)[i]
#define DB ((const double *)rb)[i]
#define DC ((const double *)rc)[i]
#define DR ((double *)r)[i]
#define X(name, operands, body)                                                \
    case OP_##name: {                                                          \
        const int64_t *ra = registers[a];                                      \
        const int64_t *rb = operands > 1 ? registers[b] : ra;                  \
        const int64_t *rc = operands > 2 ? registers[c] : ra;                  \
        int64_t sum;                                                           \
        int over = 0;                                                          \
        (void)rb, (void)rc, (void)sum, (void)over;                             \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < m; i++) { body; }         \
        break;                                                                 \
    }
            TP_VM_ELEMENTWISE(X)
#undef X
        case OP_bool_column: {
            const uint8_t *in = (const uint8_t *)p->inputs[a] + base;
            for (int64_t i = 0; i < m; i++)
                r[i] = in[i] != 0;
            break;
        }
        case OP_order_column: {
            const int64_t *in = (const int64_t *)p->inputs[a] + base * c + b;
            for (int64_t i = 0; i < m; i++)
                r[i] = in[i * c];
            break;
        }
        case OP_order_at: {
            const int64_t *in = (const int64_t *)p->inputs[b] + base * c, *ra = registers[a];
            for (int64_t i = 0; i < m; i++)
                r[i] = in[i * c + (ra[i] < 0 || ra[i] >= c ? 0 : ra[i])];
            break;
        }
        case OP_order_find: {
            const int64_t *in = (const int64_t *)p->inputs[b] + base * c, *ra = registers[a];
            for (int64_t i = 0; i < m; i++) {
                int64_t at = -1, wanted = ra[i];
                for (int32_t j = 0; j < c; j++)
                    at = in[i * c + j] == wanted ? j : at;
                r[i] = at;
            }
            break;
        }
        case OP_lookup: {
            const int64_t *table = p->constants + b, *ra = registers[a];
            for (int64_t i = 0; i < m; i++)
                r[i] = table[ra[i] < 0 ? 0 : ra[i] >= c ? c - 1 : ra[i]];
            break;
        }
        case OP_take: {
            const int64_t *table = p->constants + b, *ra = registers[a];
            _Pragma("GCC ivdep") for (int64_t i = 0; i < m; i++)
                r[i] = table[ra[i]];
            break;
        }
        case OP_take_int: {
            const int32_t *table = (const int32_t *)p->constants + b;
            const int64_t *ra = registers[a];
            _Pragma("GCC ivdep") for (int64_t i = 0; i < m; i++)
                r[i] = table[ra[i]];
            break;
        }
        case OP_out:
            memcpy((int64_t *)p->outputs[b] + base, registers[a], (size_t)m * 8);
            break;
        case OP_out_bool: {
            const int64_t *ra = registers[a];
            uint8_t *out = (uint8_t *)p->outputs[b] + base;
            for (int64_t i = 0; i < m; i++)
                out[i] = (uint8_t)ra[i];
            break;
        }
        case OP_stop_at_overflow: {
            const int64_t *ra = registers[a];
            int64_t any = 0;
            for (int64_t i = 0; i < m; i++)
                any |= ra[i];
            for (int64_t i = 0; any & 2 && i < m; i++)
                if (ra[i] == 2)
                    return base + i;
            break;
        }
        }
    }
    return -1;
}

/* Fills r with elements [base, base + m) of a view: run k of `length` elements starts at offsets[k], and repeats its first
 * element if `inner` is 0. */
static void fill(int64_t *r, const int64_t *source, const int64_t *offsets, int inner, int64_t length, int64_t base,
                 int64_t m)
{
    int64_t k = base / length, at = base % length;
    for (int64_t i = 0; i < m; k++, at = 0) {
        int64_t part = length - at < m - i ? length - at : m - i;
        const int64_t *from = source + offsets[k];
        if (inner)
            memcpy(r + i, from + at, (size_t)part * 8);
        else
            for (int64_t j = 0; j < part; j++)
                r[i + j] = *from;
        i += part;
    }
}

/* As tp_vm_run, with inputs that are views of tables: input i has runs at offsets[i * runs + k]. */
int64_t tp_vm_views(const int32_t *code, int32_t length, const int64_t *constants, int32_t constant_registers,
                    const int64_t *const *sources, const int64_t *offsets, const uint8_t *inner, int32_t input_registers,
                    int32_t temporaries, void *const *outputs, int64_t run_length, int64_t runs, int64_t block)
{
    program p = {code, length, constants, NULL, outputs};
    int64_t n = run_length * runs, size = n < block ? n : block, overflow = -1;
    int64_t own = (int64_t)input_registers + constant_registers + temporaries;
    int64_t **registers = malloc(sizeof *registers * (size_t)(own + 1));
    int64_t *elements = malloc(sizeof *elements * (size_t)(own * size + 1));
    if (registers == NULL || elements == NULL) {
        free(registers);
        free(elements);
        return -2;
    }
    for (int64_t i = 0; i < own; i++)
        registers[i] = elements + i * size;
    for (int64_t k = 0; k < constant_registers; k++)
        for (int64_t i = 0; i < size; i++)
            registers[input_registers + k][i] = constants[k];
    for (int64_t base = 0; base < n && overflow == -1; base += size) {
        int64_t m = n - base < size ? n - base : size;
        for (int32_t i = 0; i < input_registers; i++)
            fill(registers[i], sources[i], offsets + i * runs, inner[i], run_length, base, m);
        overflow = tp_vm_block(&p, registers, base, m);
    }
    free(registers);
    free(elements);
    return overflow;
}

int64_t tp_vm_run(const int32_t *code, int32_t length, const int64_t *constants, int32_t constant_registers,
                  const void *const *inputs, int32_t input_registers, int32_t temporaries, void *const *outputs,
                  int64_t n)
{
    program p = {code, length, constants, inputs, outputs};
    int64_t size = n < TP_VM_BLOCK ? n : TP_VM_BLOCK, own = (int64_t)constant_registers + temporaries, overflow = -1;
    int64_t **registers = malloc(sizeof *registers * (size_t)(input_registers + own + 1));
    int64_t *elements = malloc(sizeof *elements * (size_t)(own * size + 1));
    if (registers == NULL || elements == NULL) {
        free(registers);
        free(elements);
        return -2;
    }
    for (int64_t i = 0; i < own; i++)
        registers[input_registers + i] = elements + i * size;
    for (int64_t k = 0; k < constant_registers; k++)
        for (int64_t i = 0; i < size; i++)
            elements[k * size + i] = constants[k];
    for (int64_t base = 0; base < n && overflow == -1; base += size) {
        for (int32_t i = 0; i < input_registers; i++)
            registers[i] = (int64_t *)inputs[i] + base;
        overflow = tp_vm_block(&p, registers, base, n - base < size ? n - base : size);
    }
    free(registers);
    free(elements);
    return overflow;
}
