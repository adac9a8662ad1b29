void edits(int n, const signed char *restrict a, const signed char *restrict b, int *restrict row, int *restrict out) {
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; i < n; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n; j++) {
            int cost = diagonal + (a[i] != b[j]), above = row[j + 1] + 1, left = row[j] + 1;
            diagonal = row[j + 1];
            int least = cost < above ? cost : above;
            row[j + 1] = least < left ? least : left;
        }
    }
    out[0] = row[n];
}
