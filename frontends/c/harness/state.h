/* A fixed part of every generated harness: what of the processor's state a call leaves changed for its caller, who may rely
 * on it by the ABI: how numbers are rounded, whether denormal ones are flushed to zero, which exceptions trap, and that
 * the x87 registers are empty. After runtime.h. */
enum { TP_LEFT_ROUNDING = 1, TP_LEFT_FLUSHING = 2, TP_LEFT_TRAPS = 4, TP_LEFT_X87_CONTROL = 8, TP_LEFT_X87_REGISTERS = 16 };
static volatile int tp_left; /* by calls so far: a sum of the above */

typedef struct {
    unsigned control; /* MXCSR or FPCR; elsewhere the rounding mode */
    unsigned short x87;
    unsigned char registers; /* of x87 and MMX that hold something, a bit each */
} tp_float_state;

#if defined __SSE2__ && defined __x86_64__
#define TP_ROUNDING_BITS 0x6000u
#define TP_FLUSHING_BITS 0x8040u
#define TP_TRAP_BITS 0x1F80u
static tp_float_state tp_float_state_now(void) {
    static __thread __attribute__((aligned(16))) unsigned char area[512]; /* its layout: FXSAVE in Intel's manual, volume 2A */
    tp_float_state state;
    __asm__ volatile("fxsave %0" : "=m"(area));
    memcpy(&state.x87, area, 2);
    state.registers = area[4];
    memcpy(&state.control, area + 24, 4);
    return state;
}

static void tp_set_float_state(const tp_float_state *state) {
    __asm__ volatile("fninit; fldcw %0" : : "m"(state->x87));
    _mm_setcsr(state->control);
}
#elif defined __aarch64__
#define TP_ROUNDING_BITS 0xC00000u
#define TP_FLUSHING_BITS 0x1080000u
#define TP_TRAP_BITS 0x9F00u
static tp_float_state tp_float_state_now(void) {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    tp_float_state state = {(unsigned)control, 0, 0};
    return state;
}

static void tp_set_float_state(const tp_float_state *state) {
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)state->control));
}
#else
#define TP_ROUNDING_BITS (~0u)
#define TP_FLUSHING_BITS 0u
#define TP_TRAP_BITS 0u
static tp_float_state tp_float_state_now(void) {
    tp_float_state state = {(unsigned)fegetround(), 0, 0};
    return state;
}

static void tp_set_float_state(const tp_float_state *state) {
    fesetround((int)state->control);
}
#endif

/* After a call: what differs from before it is noted and restored. */
static void tp_note_float_state(const tp_float_state *before) {
    tp_float_state after = tp_float_state_now();
    unsigned changed = before->control ^ after.control;
    int left = (changed & TP_ROUNDING_BITS ? TP_LEFT_ROUNDING : 0) | (changed & TP_FLUSHING_BITS ? TP_LEFT_FLUSHING : 0) |
               (changed & TP_TRAP_BITS ? TP_LEFT_TRAPS : 0) | (before->x87 != after.x87 ? TP_LEFT_X87_CONTROL : 0) |
               (after.registers & ~before->registers ? TP_LEFT_X87_REGISTERS : 0);
    if (!left) return;
    __sync_fetch_and_or(&tp_left, left);
    tp_set_float_state(before);
}

/* Once for each that calls left changed. */
static void tp_say_left(void) {
    static const char *const names[] = {"rounding", "flushing", "traps", "x87_control", "x87_registers"};
    for (int i = 0; i < 5; i++)
        if (tp_left >> i & 1) tp_hold("left %s\n", names[i]);
    tp_send();
}
