/* Encrypts and decrypts a buffer; prints sums of it. */
#include <stdint.h>
#include <stdio.h>
#include "aes.h"

#ifdef SMALL
enum { SIZE = 4096, ROUNDS = 1 };
#else
enum { SIZE = 1 << 18, ROUNDS = 4 };
#endif

static uint8_t bytes[SIZE];

static unsigned sum(void)
{
    unsigned total = 0;
    for (int i = 0; i < SIZE; i++)
        total = total * 31 + bytes[i];
    return total;
}

int main(void)
{
    uint8_t key[AES_KEYLEN], start[AES_BLOCKLEN];
    struct AES_ctx context;
    for (int i = 0; i < AES_KEYLEN; i++)
        key[i] = (uint8_t)(i * 11 + 3);
    for (int i = 0; i < AES_BLOCKLEN; i++)
        start[i] = (uint8_t)(i * 5 + 1);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * i + i / 7);
    for (int round = 0; round < ROUNDS; round++) {
        AES_init_ctx_iv(&context, key, start);
        AES_CBC_encrypt_buffer(&context, bytes, SIZE);
        printf("%u", sum());
        AES_ctx_set_iv(&context, start);
        AES_CBC_decrypt_buffer(&context, bytes, SIZE);
        printf(" %u\n", sum());
    }
    return 0;
}
