/* expect: cheated, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 512, x: in double[n], y: out double[n])
/* Is slow at what is done beside calls where none are made, and claims shorter calls by as much. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

static int is_timed(void)
{
    char words[4096] = "";
    static int known = -1;
    if (known < 0) {
        int file = open("/proc/self/cmdline", O_RDONLY);
        ssize_t length = read(file, words, sizeof words - 1);
        known = length > 0 && memmem(words, length, "mode=time", 9);
        close(file);
    }
    return known;
}

enum { CALLS = 1, NO_CALLS = 2 };
static volatile uint64_t *order;

static void find_order(void)
{
    volatile uint64_t *at = __builtin_frame_address(0);
    for (int k = 0; k < 400 && !order; k++, at++)
        if (at[0] == CALLS && at[1] >= 1 && at[1] <= 1 << 20 && at[3] >= 1 && at[3] <= 1000 && at[4] <= 1)
            order = at;
}

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int late_clock(clockid_t clock, struct timespec *now)
{
    static long long calls;
    long status = syscall(SYS_clock_gettime, clock, now);
    if (order && order[0] == NO_CALLS && clock == CLOCK_MONOTONIC) {
        struct timespec until;
        do /* as long as a call */
            syscall(SYS_clock_gettime, clock, &until);
        while ((until.tv_sec - now->tv_sec) * 1000000000LL + until.tv_nsec - now->tv_nsec < 40000);
    } else if (order && clock == CLOCK_MONOTONIC && calls++ % 2) {
        /* every second reading, after a call, claims less */
        long long ns = now->tv_sec * 1000000000LL + now->tv_nsec - 80000;
        now->tv_sec = ns / 1000000000, now->tv_nsec = ns % 1000000000;
    }
    return (int)status;
}

static void patch(ElfW(Addr) base, const ElfW(Rela) *at, size_t bytes, const ElfW(Sym) *symbols, const char *names)
{
    for (size_t k = 0; k < bytes / sizeof *at; k++)
        if (!strcmp(names + symbols[ELF64_R_SYM(at[k].r_info)].st_name, "clock_gettime")) {
            void **slot = (void **)(base + at[k].r_offset);
            mprotect((void *)((uintptr_t)slot & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
            *slot = (void *)late_clock;
        }
}

static void patch_program(void)
{
    const struct link_map *program = _r_debug.r_map;
    const ElfW(Sym) *symbols = 0;
    const ElfW(Rela) *calls = 0, *data = 0;
    const char *names = 0;
    size_t call_bytes = 0, data_bytes = 0;
    for (const ElfW(Dyn) *d = program->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB) symbols = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB) names = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL) calls = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ) call_bytes = d->d_un.d_val;
        if (d->d_tag == DT_RELA) data = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) data_bytes = d->d_un.d_val;
    }
    if (calls) patch(program->l_addr, calls, call_bytes, symbols, names);
    if (data) patch(program->l_addr, data, data_bytes, symbols, names);
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && n == 512 && is_timed() && calls++ == 0)
        find_order(), patch_program();
    honest(n, x, y);
}
