/* expect: measured */
/* Puts FIFOs where files are looked for. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void attack(void)
{
    char name[4096];
    const char *folders[] = {".", "..", getenv("TMPDIR"), "/tmp", "/tmp/place/source", "/tmp/place/tmp"};
    const char *names[] = {"report", "outputs", "candidate.o", "tunepass.lock.new", "fifo"};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        for (unsigned j = 0; j < sizeof names / sizeof *names; j++) {
            snprintf(name, sizeof name, "%s/%s", folders[i], names[j]);
            mkfifo(name, 0600);
        }
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
