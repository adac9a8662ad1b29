void forces(int n, const float *restrict x, const float *restrict y, float *restrict fx, float *restrict fy) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i];
            float square = dx * dx + dy * dy + 0.01f, scale = 1.0f / (square * square);
            fx[i] += dx * scale;
            fy[i] += dy * scale;
        }
}
