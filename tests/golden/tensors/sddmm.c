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

int sddmm(
    int i_size,
    int j_size,
    int k_size,
    double *restrict A_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const double *restrict B_vals,
    const double *restrict C_vals,
    const double *restrict D_vals) {
  (void)j_size;
  #pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i0 = 0; i0 < ceil_div(i_size, 16); i0++) {
    for (int i1 = 0; i1 < smaller(16, i_size - i0 * 16); i1++) {
      const int i = i0 * 16 + i1;
      for (long at = B2_pos[i]; at < B2_pos[i + 1]; at++) A_vals[at] = 0.0;
      const int jB_begin = B2_pos[i];
      const int jB_end = B2_pos[i + 1];
      const int jpos_count = jB_end - jB_begin;
      for (int jpos0 = 0; jpos0 < ceil_div(jpos_count, 8); jpos0++) {
        const int jpos1_end = smaller(8, jpos_count - jpos0 * 8);
        if (jpos1_end == 8) {
          for (int k = 0; k < k_size; k++) {
            const double C_i_k = C_vals[(long)i * k_size + k];
            #pragma omp simd
            for (int jpos1 = 0; jpos1 < 8; jpos1++) {
              const int jpos = jB_begin + jpos0 * 8 + jpos1;
              const int j = B2_crd[jpos];
              A_vals[jpos] += B_vals[jpos] * C_i_k * D_vals[(long)j * k_size + k];
            }
          }
        }
        else {
          for (int k = 0; k < k_size; k++) {
            const double C_i_k = C_vals[(long)i * k_size + k];
            #pragma omp simd
            for (int jpos1 = 0; jpos1 < jpos1_end; jpos1++) {
              const int jpos = jB_begin + jpos0 * 8 + jpos1;
              const int j = B2_crd[jpos];
              A_vals[jpos] += B_vals[jpos] * C_i_k * D_vals[(long)j * k_size + k];
            }
          }
        }
      }
    }
  }
  return 0;
}
