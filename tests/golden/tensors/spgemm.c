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

int spgemm(
    int i_size,
    int k_size,
    int j_size,
    double *restrict A_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const double *restrict B_vals,
    const int *restrict C2_pos,
    const int *restrict C2_crd,
    const double *restrict C_vals) {
  (void)j_size;
  #pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i0 = 0; i0 < ceil_div(i_size, 16); i0++) {
    for (int i1 = 0; i1 < smaller(16, i_size - i0 * 16); i1++) {
      const int i = i0 * 16 + i1;
      for (int k = 0; k < k_size; k++) {
        A_vals[(long)i * k_size + k] = 0.0;
      }
      for (int jB = B2_pos[i]; jB < B2_pos[i + 1]; jB++) {
        const int j = B2_crd[jB];
        const double B_i_j = B_vals[jB];
        for (int kC = C2_pos[j]; kC < C2_pos[j + 1]; kC++) {
          const int k = C2_crd[kC];
          A_vals[(long)i * k_size + k] += B_i_j * C_vals[kC];
        }
      }
    }
  }
  return 0;
}
