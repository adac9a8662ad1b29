/* expect: cheated, timeout */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Puts a clock of its own into the program's table of functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

static int slow_clock(clockid_t clock, struct timespec *now)
{
    long status = syscall(SYS_clock_gettime, clock, now);
    long long ns = (now->tv_sec * 1000000000LL + now->tv_nsec) / 10;
    now->tv_sec = ns / 1000000000, now->tv_nsec = ns % 1000000000;
    return (int)status;
}

static void patch(ElfW(Addr) base, const ElfW(Rela) *at, size_t bytes, const ElfW(Sym) *symbols, const char *names)
{
    for (size_t k = 0; k < bytes / sizeof *at; k++)
        if (!strcmp(names + symbols[ELF64_R_SYM(at[k].r_info)].st_name, "clock_gettime")) {
            void **slot = (void **)(base + at[k].r_offset);
            mprotect((void *)((uintptr_t)slot & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
            *slot = (void *)slow_clock;
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
    if (ATTACK && calls++ == 0)
        patch_program();
    honest(n, x, y);
}
