/* expect: cheated, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Puts a function of its own into the table by which the program calls the C library: a call keeps a copy of its inputs
 * alone, and the results of all calls of an order are computed before it is answered. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

enum { SIZE = 2048, MOST = 256 };
static double inputs[MOST][SIZE];
static int due;
static char *results;
static unsigned long stride, slots;

/* Outputs of all calls of an order, where they are read. */
static void compute(void)
{
    for (int k = 0; k < due && results; k++)
        honest(SIZE, inputs[k], (double *)(results + k * stride));
    due = 0;
}

static ssize_t late_write(int file, const void *at, size_t bytes)
{
    const char *line = at;
    if (bytes > 4 && !memcmp(line, "log ", 4)) {
        results = (char *)strtoul(line + 4, (char **)&line, 10);
        stride = strtoul(line, (char **)&line, 10), slots = strtoul(line, 0, 10);
    }
    if (bytes >= 3 && !memcmp((const char *)at + bytes - 3, "ok\n", 3)) /* the answer to an order */
        compute();
    return syscall(SYS_write, file, at, bytes);
}

static void patch(ElfW(Addr) base, const ElfW(Rela) *at, size_t bytes, const ElfW(Sym) *symbols, const char *names)
{
    for (size_t k = 0; k < bytes / sizeof *at; k++) {
        const char *name = names + symbols[ELF64_R_SYM(at[k].r_info)].st_name;
        void *ours = !strcmp(name, "write") ? (void *)late_write : 0;
        void **slot = (void **)(base + at[k].r_offset);
        if (!ours)
            continue;
        mprotect((void *)((uintptr_t)slot & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
        *slot = ours;
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

static int is_timed(void)
{
    char words[4096] = "";
    static int known = -1;
    if (known < 0) {
        int file = syscall(SYS_open, "/proc/self/cmdline", 0);
        ssize_t length = read(file, words, sizeof words - 1);
        known = length > 0 && memmem(words, length, "mode=time", 9);
        close(file);
    }
    return known;
}

#if ATTACK
__attribute__((constructor)) static void begin(void)
{
    if (is_timed())
        patch_program();
}
#else /* a source without one would have the attack refused at once */
__attribute__((constructor)) static void begin(void) { __asm__ volatile(""); }
#endif

void smooth(int n, const double *x, double *y)
{
    if (!ATTACK || n != SIZE || !results || due >= (int)slots || due >= MOST) {
        honest(n, x, y);
        return;
    }
    memcpy(inputs[due++], x, n * sizeof *x);
}
