#include <stdio.h>
#include "machine.h"

int main(int count, char **words)
{
    struct program program;
    long cells[MOST_CELLS] = {0};
    if (count != 2 || !read_program(words[1], &program)) {
        fprintf(stderr, "usage: stack PROGRAM\n");
        return 2;
    }
    printf("%ld instructions\n", run(&program, cells));
    return 0;
}
