/* expect: measured */
/* Locks whatever it can open: the store, the lock, the cores. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

static void attack(void)
{
    const char *folders[] = {"/tmp/place/source", "/tmp/place/tmp", ".."};
    for (int i = 0; i < 3; i++) {
        DIR *folder = opendir(folders[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char name[4096];
            snprintf(name, sizeof name, "%s/%s", folders[i], entry->d_name);
            int file = open(name, O_RDONLY | O_NONBLOCK);
            struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
            flock(file, LOCK_EX | LOCK_NB);
            fcntl(file, F_SETLK, &whole);
        }
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
