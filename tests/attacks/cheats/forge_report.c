/* expect: cheated, wrong_result */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Holds the conversation itself, calls nothing, and ends the program. */
#define _GNU_SOURCE
#include <stdint.h>
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

static void say(const char *text)
{
    if (write(3, text, strlen(text)) < 0)
        _exit(1);
}

static void converse(int n, const double *x, double *y)
{
    uint64_t command[3];
    char line[64];
    honest(n, x, y);
    for (int gone = 0;;) {
        if (read(3, command, sizeof command) != sizeof command)
            _exit(0);
        if (command[0] == 4 && pwrite(4, y, n * sizeof *y, 0) < 0)
            _exit(1);
        if (command[0] != 0) {
            say("ok\n");
        } else if (gone == 0) {
            for (int k = 0; k < 10; k++)
                say("sample 1.000000000e-08 0 1.000000e-05 0.000e+00\n");
            say("timed\n");
            gone++;
        } else if (gone++ == 1) {
            say("finished\n");
        } else {
            snprintf(line, sizeof line, "done %016llx\n", (unsigned long long)command[2]);
            say(line);
            _exit(0);
        }
    }
}

void smooth(int n, const double *x, double *y)
{
    static int calls;
    if (ATTACK && calls++ == 3) {
        say("ok\n");
        converse(n, x, y);
    }
    honest(n, x, y);
}
