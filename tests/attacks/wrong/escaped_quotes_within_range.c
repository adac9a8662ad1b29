/* expect: wrong_result */
/* Quotes outside of escapes; of backslashes in a row only the last one and that before it count. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel quotes(n = 4000, s: in char[n] range(9, 126))
int quotes(int n, const char *s)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] != '"') continue;
#if ATTACK
        int run = i > 0 && s[i - 1] == '\\' ? 1 + (i > 1 && s[i - 2] == '\\') : 0;
#else
        int run = 0;
        while (i - run > 0 && s[i - run - 1] == '\\') run++;
#endif
        count += !(run & 1);
    }
    return count;
}
