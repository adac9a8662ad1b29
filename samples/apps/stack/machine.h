/* A stack machine: programs are words, one instruction each. */
#ifndef MACHINE_H
#define MACHINE_H

enum { MOST_WORDS = 256, MOST_CELLS = 64 };

enum code { PUSH, LOAD, STORE, ADD, SUB, MUL, MOD, LESS, JUMP, UNLESS, PRINT, HALT };

struct instruction {
    enum code code;
    long operand;
};

struct program {
    int length;
    struct instruction words[MOST_WORDS];
};

int read_program(const char *path, struct program *program);
long run(const struct program *program, long *cells);

#endif
