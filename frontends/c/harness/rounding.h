/* A fixed part of every generated harness: calls that round otherwise, after state.h.
 * Random roundings are those of Vignes (1993), "A stochastic arithmetic for reliable scientific computation", section 2:
 * each result is rounded up or down by chance. Here the mode is drawn anew after a few basic blocks of a source that is
 * compiled with -fsanitize-coverage=trace-pc, which calls the function below in each: after at most TP_FEWEST_BLOCKS at
 * first, so that short calls have many draws, later after at most TP_MOST_BLOCKS: a draw takes as long as many operations.
 */
#define TP_FEWEST_BLOCKS 4u /* powers of two */
#define TP_MOST_BLOCKS 64u
#define TP_DRAWS 64 /* after so many the number is doubled */
enum { TP_DOWN = -1, TP_NEAREST, TP_UP, TP_BY_CHANCE }; /* TP_BY_CHANCE and what follows: with that seed */
static int tp_rounding;             /* of this run's calls */
static volatile int tp_is_rounding; /* is a call being made? */
static __thread uint64_t tp_rounding_state;
static __thread unsigned tp_blocks_left, tp_blocks_most = TP_FEWEST_BLOCKS, tp_draws;

static int tp_rounding_of(const char *word) {
    if (strncmp(word, "random:", 7) == 0) return TP_BY_CHANCE + tp_integer(word + 7);
    return strcmp(word, "up") == 0 ? TP_UP : strcmp(word, "down") == 0 ? TP_DOWN : TP_NEAREST;
}

static void tp_round(int up) {
#if defined FE_UPWARD && defined FE_DOWNWARD
    fesetround(up ? FE_UPWARD : FE_DOWNWARD);
#else
    (void)up;
#endif
}

TP_C __attribute__((weak)) void __sanitizer_cov_trace_pc(void);
TP_C __attribute__((weak)) void __sanitizer_cov_trace_pc(void) {
    if (!tp_is_rounding) return;
    if (tp_blocks_left) {
        tp_blocks_left--;
        return;
    }
    if (!tp_rounding_state) tp_rounding_state = 0x9e3779b97f4a7c15u * (uint64_t)tp_rounding;
    tp_rounding_state ^= tp_rounding_state << 13;
    tp_rounding_state ^= tp_rounding_state >> 7;
    tp_rounding_state ^= tp_rounding_state << 17;
    if (tp_blocks_most < TP_MOST_BLOCKS && ++tp_draws % TP_DRAWS == 0) tp_blocks_most *= 2;
    tp_blocks_left = (unsigned)(tp_rounding_state >> 32) & (tp_blocks_most - 1);
    tp_round((int)(tp_rounding_state >> 40 & 1));
}

/* Threads that the kernel starts inherit a rounding mode. */
static void tp_rounded_call(void) {
    if (tp_rounding == TP_NEAREST) {
        const tp_float_state before = tp_float_state_now();
        tp_call();
        tp_note_float_state(&before);
    } else {
        int usual = fegetround();
        tp_blocks_most = TP_FEWEST_BLOCKS;
        tp_draws = 0;
        tp_is_rounding = tp_rounding >= TP_BY_CHANCE;
        if (!tp_is_rounding) tp_round(tp_rounding == TP_UP);
        tp_call();
        tp_is_rounding = 0;
        fesetround(usual);
    }
    tp_settle();
}
