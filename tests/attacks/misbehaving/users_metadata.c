/* expect: measured */
/* Changes owner, mode, times, attributes and flags of the user's files. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void attack(void)
{
    const char *names[] = {"source/users_metadata.c", "source", "home"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char name[256];
        struct timespec past[2] = {{1, 0}, {1, 0}};
        int flags = 0x40;
        snprintf(name, sizeof name, "/tmp/place/%s", names[i]);
        chmod(name, 04777);
        if (chown(name, 12345, 12345) == 0)
            chmod(name, 04777);
        utimensat(AT_FDCWD, name, past, 0);
        setxattr(name, "user.left", "x", 1, 0);
        int file = open(name, O_RDONLY);
        fchmod(file, 04777);
        ioctl(file, 0x40086602, &flags);
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
