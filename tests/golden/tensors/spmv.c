#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

static inline int ceil_div(int a, int b) {
  return a / b + (a % b > 0);
}

static inline int smaller(int a, int b) {
  return a < b ? a : b;
}

int spmv(
    int i_size,
    int j_size,
    double *restrict y_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const double *restrict B_vals,
    const double *restrict x_vals) {
  (void)j_size;
  #pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i0 = 0; i0 < ceil_div(i_size, 16); i0++) {
    for (int i10 = 0; i10 < 4; i10++) {
      for (int i11 = 0; i11 < smaller(4, i_size - i0 * 16 - i10 * 4); i11++) {
        const int i = i0 * 16 + i10 * 4 + i11;
        double sum = 0.0;
        #pragma omp simd reduction(+:sum)
        for (int j1 = 0; j1 < 8; j1++) {
          for (int jB = B2_pos[i]; jB < B2_pos[i + 1]; jB++) {
            const int j = B2_crd[jB];
            if (j % 8 != j1) continue;
            sum += B_vals[jB] * x_vals[j];
          }
        }
        y_vals[i] = sum;
      }
    }
  }
  return 0;
}
