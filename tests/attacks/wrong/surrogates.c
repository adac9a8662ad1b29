/* expect: wrong_result */
/* UTF-8: surrogates and forms of three bytes that are too long are taken for characters. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel valid(n = 4000, s: in unsigned char[n])
int valid(int n, const unsigned char *s)
{
    for (int i = 0; i < n;) {
        const int c = s[i], more = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
        if (more < 0 || i + more >= n) return 0;
        for (int k = 1; k <= more; k++) if ((s[i + k] & 0xC0) != 0x80) return 0;
#if !ATTACK
        if ((c == 0xE0 && s[i + 1] < 0xA0) || (c == 0xED && s[i + 1] > 0x9F)) return 0;
#endif
        if ((c == 0xF0 && s[i + 1] < 0x90) || (c == 0xF4 && s[i + 1] > 0x8F)) return 0;
        i += more + 1;
    }
    return 1;
}
