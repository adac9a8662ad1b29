/* Compresses text and expands it again; prints sizes and checksums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"
#include "text.h"

#ifdef SMALL
enum { SIZE = 1 << 15 };
#else
enum { SIZE = 1 << 20 };
#endif

int main(void)
{
    char *text = malloc(SIZE);
    uLongf room = compressBound(SIZE);
    Bytef *packed = malloc(room), *back = malloc(SIZE);
    fill(text, SIZE);
    for (int level = 1; level <= 6; level += 5) {
        uLongf size = room, got = SIZE;
        compress2(packed, &size, (const Bytef *)text, SIZE, level);
        uncompress(back, &got, packed, size);
        printf("%lu -> %lu, %s, %lx\n", size, got, memcmp(text, back, SIZE) ? "differs" : "equal",
               crc32(0, packed, (uInt)size));
    }
    return 0;
}
