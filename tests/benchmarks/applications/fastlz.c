/* Compresses text at both levels and expands it again; prints sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fastlz.h"
#include "text.h"

#ifdef SMALL
enum { SIZE = 1 << 15, ROUNDS = 1 };
#else
enum { SIZE = 1 << 20, ROUNDS = 3 };
#endif

int main(void)
{
    char *text = malloc(SIZE), *packed = malloc(SIZE + SIZE / 8 + 66), *back = malloc(SIZE);
    fill(text, SIZE);
    for (int round = 0; round < ROUNDS; round++)
        for (int level = 1; level <= 2; level++) {
            int size = fastlz_compress_level(level, text, SIZE, packed);
            int got = fastlz_decompress(packed, size, back, SIZE);
            printf("%d -> %d, %s\n", size, got, memcmp(text, back, SIZE) ? "differs" : "equal");
        }
    return 0;
}
