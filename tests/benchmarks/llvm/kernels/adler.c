void adler(int n, const unsigned char *restrict data, int *restrict out) {
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    out[0] = (int)(b << 16 | a);
}
