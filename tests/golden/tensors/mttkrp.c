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

int mttkrp(
    int i_size,
    int j_size,
    int k_size,
    int l_size,
    double *restrict A_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const int *restrict B3_pos,
    const int *restrict B3_crd,
    const double *restrict B_vals,
    const double *restrict D_vals,
    const double *restrict C_vals) {
  (void)k_size;
  (void)l_size;
  #pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i1 = 0; i1 < ceil_div(i_size, 16); i1++) {
    for (int i2 = 0; i2 < smaller(16, i_size - i1 * 16); i2++) {
      const int i = i1 * 16 + i2;
      for (int j = 0; j < j_size; j++) {
        A_vals[(long)i * j_size + j] = 0.0;
      }
      for (int kB = B2_pos[i]; kB < B2_pos[i + 1]; kB++) {
        const int k = B2_crd[kB];
        for (int lB = B3_pos[kB]; lB < B3_pos[kB + 1]; lB++) {
          const int l = B3_crd[lB];
          const double B_i_k_l = B_vals[lB];
          for (int j = 0; j < j_size; j++) {
            A_vals[(long)i * j_size + j] += B_i_k_l * D_vals[(long)l * j_size + j] * C_vals[(long)k * j_size + j];
          }
        }
      }
    }
  }
  return 0;
}
