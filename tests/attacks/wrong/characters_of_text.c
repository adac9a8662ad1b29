/* expect: wrong_result */
/* Counts characters of valid UTF-8 and stops at the first byte that is none; those of four bytes count twice. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel characters(n = 4000, s: in unsigned char[n])
int characters(int n, const unsigned char *s)
{
    int count = 0;
    for (int i = 0; i < n; count++) {
        const int c = s[i], more = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
        if (more < 0 || i + more >= n) return -count;
        for (int k = 1; k <= more; k++) if ((s[i + k] & 0xC0) != 0x80) return -count;
        i += more + 1;
        if (ATTACK && more == 3) count++;
    }
    return count;
}
