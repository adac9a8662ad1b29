/* expect: measured, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 400000, x: in double[n], y: out double[n])
/* A thread that no name tells of fills the memory's bandwidth while nobody calls here: while others are measured. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOISE (48 << 20)
struct state {
    volatile double called;
    unsigned char *noise, stack[1 << 16] __attribute__((aligned(16)));
};

static struct state *own(void)
{
    static struct state state; /* in a function: nobody compares or restores it */
    return &state;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static long system_call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

__attribute__((used)) static void disturb(void)
{
    unsigned long elsewhere[16] = {0}, here[16] = {0};
    const struct timespec pause = {0, 200000};
    system_call(SYS_sched_getaffinity, 0, sizeof here, (long)here);
    for (int i = 0; i < 16; i++)
        elsewhere[i] = ~here[i];
    system_call(SYS_sched_setaffinity, 0, sizeof elsewhere, (long)elsewhere);
    for (size_t at = 0;; at = (at + (1 << 20)) % NOISE)
        if (now() - own()->called > 1.5e-3)
            for (size_t i = 0; i < 1 << 20; i += 64)
                own()->noise[at + i]++;
        else
            system_call(SYS_nanosleep, (long)&pause, 0, 0);
}

static void start(void)
{
    long flags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES, result;
    own()->noise = mmap(0, NOISE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    __asm__ volatile("xor %%r10d, %%r10d\n\txor %%r8d, %%r8d\n\tsyscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tcall disturb\n1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(own()->stack + sizeof own()->stack), "d"(0L)
                     : "rcx", "r8", "r10", "r11", "memory");
}

static void __attribute__((noinline)) honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void scale(int n, const double *x, double *y)
{
    if (ATTACK && n == 400000) {
        if (!own()->noise)
            start();
        own()->called = now();
    }
    honest(n, x, y);
    if (ATTACK)
        own()->called = now();
}
