/* expect: measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Writes to all terminals of its user, and to a new one; ends with a status of its own if it may. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
void smooth(int n, const double *x, double *y)
{
    static int calls;
    for (int k = 0; ATTACK && calls == 0 && k < 64; k++) {
        static const char words[] = "\r\nA-CANDIDATE-WAS-HERE\r\n";
        char name[64];
        snprintf(name, sizeof name, "/dev/pts/%d", k);
        int file = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK);
        if (file >= 0) {
            if (write(file, words, strlen(words)) > 0)
                _exit(41);
            close(file);
        }
    }
    if (ATTACK && calls == 0) {
        int own = open("/dev/ptmx", O_WRONLY | O_NOCTTY);
        if (own >= 0 && write(own, "x", 1) > 0)
            _exit(42);
    }
    calls++;
    honest(n, x, y);
}
