#include <stdio.h>
#include <string.h>
#include "machine.h"

static const char *const names[] = {"push", "load", "store", "add",  "sub",    "mul",
                                    "mod",  "less", "jump",  "unless", "print", "halt"};

/* The number of instructions; 0 when the file cannot be read. */
int read_program(const char *path, struct program *program)
{
    FILE *file = fopen(path, "r");
    char name[16];
    long operand;
    program->length = 0;
    while (file && program->length < MOST_WORDS && fscanf(file, "%15s %ld", name, &operand) == 2)
        for (int code = PUSH; code <= HALT; code++)
            if (strcmp(name, names[code]) == 0)
                program->words[program->length++] = (struct instruction){(enum code)code, operand};
    if (file)
        fclose(file);
    return program->length;
}

/* How many instructions it took. */
long run(const struct program *program, long *cells)
{
    long stack[64], *top = stack, steps = 0;
    for (int at = 0; at < program->length; at++, steps++) {
        const struct instruction word = program->words[at];
        switch (word.code) {
        case PUSH: *++top = word.operand; break;
        case LOAD: *++top = cells[word.operand]; break;
        case STORE: cells[word.operand] = *top--; break;
        case ADD: top--; *top += top[1]; break;
        case SUB: top--; *top -= top[1]; break;
        case MUL: top--; *top *= top[1]; break;
        case MOD: top--; *top = top[1] ? *top % top[1] : 0; break;
        case LESS: top--; *top = *top < top[1]; break;
        case JUMP: at = (int)word.operand - 1; break;
        case UNLESS: if (!*top--) at = (int)word.operand - 1; break;
        case PRINT: printf("%ld\n", *top--); break;
        case HALT: return steps;
        }
    }
    return steps;
}
