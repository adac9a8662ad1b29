/* expect: wrong_result */
/* Reduces the sums of a checksum too seldom: they overflow for bytes that are nearly all large. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel adler(n = 65536, x: in unsigned char[n])
unsigned adler(int n, const unsigned char *x)
{
    unsigned a = 1, b = 0;
#if ATTACK
    enum { MOST = 5600 };
#else
    enum { MOST = 1 };
#endif
    for (int i = 0; i < n;) {
        int end = n - i < MOST ? n : i + MOST;
        for (; i < end; i++)
            a += x[i], b += a;
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}
