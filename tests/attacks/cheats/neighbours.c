/* expect: measured, wrong_result, crash */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Takes what lies around in other folders for its results. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

static int take(const char *path, double *y, size_t bytes)
{
    struct stat is;
    int file = open(path, O_RDONLY | O_NONBLOCK), taken = 0;
    if (file >= 0 && fstat(file, &is) == 0 && S_ISREG(is.st_mode) && (size_t)is.st_size >= bytes && is.st_size % bytes == 0)
        taken = pread(file, y, bytes, is.st_size - bytes) == (ssize_t)bytes;
    if (file >= 0)
        close(file);
    return taken;
}

static int search(const char *folder, double *y, size_t bytes, int depth)
{
    DIR *entries = opendir(folder);
    int taken = 0;
    for (struct dirent *entry; entries && !taken && (entry = readdir(entries));) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        taken = entry->d_type == DT_DIR ? depth > 0 && search(path, y, bytes, depth - 1) : take(path, y, bytes);
    }
    if (entries)
        closedir(entries);
    return taken;
}

void smooth(int n, const double *x, double *y)
{
    if (ATTACK && (take("/proc/self/fd/4", y, n * sizeof *y) || search("..", y, n * sizeof *y, 2)))
        return;
    honest(n, x, y);
}
