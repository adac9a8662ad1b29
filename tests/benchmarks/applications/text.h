/* Words drawn from a small vocabulary, more of the first ones: text that compresses by about three. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill(char *text, int size)
{
    unsigned state = 42, at = 0;
    while (at < (unsigned)size) {
        unsigned word = draw(&state) % 997 * (draw(&state) % 31) / 31, length = 2 + word % 9;
        for (unsigned i = 0; i < length && at < (unsigned)size; i++)
            text[at++] = (char)('a' + (word * 7 + i * 13 + word / 26) % 26);
        if (at < (unsigned)size)
            text[at++] = ' ';
    }
}
