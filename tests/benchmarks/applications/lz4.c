/* Compresses text at two levels and expands it again; prints sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lz4.h"
#include "lz4hc.h"
#include "text.h"

#ifdef SMALL
enum { SIZE = 1 << 16 };
#else
enum { SIZE = 4 << 20 };
#endif

int main(void)
{
    char *text = malloc(SIZE), *packed = malloc(LZ4_compressBound(SIZE)), *back = malloc(SIZE);
    fill(text, SIZE);
    for (int round = 0; round < 6; round++) {
        int size = round ? LZ4_compress_default(text, packed, SIZE, LZ4_compressBound(SIZE))
                         : LZ4_compress_HC(text, packed, SIZE, LZ4_compressBound(SIZE), 4);
        int got = LZ4_decompress_safe(packed, back, size, SIZE);
        printf("%d -> %d, %s\n", size, got, memcmp(text, back, SIZE) ? "differs" : "equal");
    }
    return 0;
}
