/* expect: measured */
/* Writes to the source, the lock, the store and the home. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void attack(void)
{
    const char *names[] = {"source/users_files.c", "source/tunepass.lock", "source/attack.db", "home/.profile"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char name[256];
        snprintf(name, sizeof name, "/tmp/place/%s", names[i]);
        int file = open(name, O_WRONLY | O_CREAT, 0644);
        if (file >= 0 && write(file, "attacked", 8) > 0)
            truncate(name, 8);
    }
    rename("/tmp/place/source/users_files.c", "/tmp/place/source/gone.c");
    symlink("/etc/passwd", "/tmp/place/source/link.c");
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
