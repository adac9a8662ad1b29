void conv(int n, const short *restrict image, const short *restrict weight, int *restrict out) {
    for (int i = 0; i < n - 4; i++)
        for (int j = 0; j < n - 4; j++) {
            int sum = 0;
            for (int r = 0; r < 5; r++)
                for (int s = 0; s < 5; s++)
                    sum += image[(i + r) * n + j + s] * weight[r * 5 + s];
            out[i * n + j] = sum;
        }
}
