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

int ttv(
    int i_size,
    int j_size,
    int k_size,
    double *restrict A_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const int *restrict B3_pos,
    const int *restrict B3_crd,
    const double *restrict B_vals,
    const double *restrict c_vals) {
  (void)j_size;
  (void)k_size;
  (void)B2_crd;
  for (int i0 = 0; i0 < ceil_div(i_size, 16); i0++) {
    const int iB_begin = i0 * 16;
    const int iB_end = smaller(i0 * 16 + 16, i_size);
    const int jB_begin = B2_pos[iB_begin];
    const int jB_end = B2_pos[iB_end];
    const int fpos_count = jB_end - jB_begin;
    #pragma omp parallel for schedule(dynamic, 4) num_threads(2)
    for (int chunk = 0; chunk < ceil_div(fpos_count, 4); chunk++) {
      for (int fpos2 = 0; fpos2 < smaller(4, fpos_count - chunk * 4); fpos2++) {
        const int fpos = jB_begin + chunk * 4 + fpos2;
        double sum = 0.0;
        const int kB_begin = B3_pos[fpos];
        const int kB_end = B3_pos[fpos + 1];
        const int kpos_count = kB_end - kB_begin;
        for (int kpos1 = 0; kpos1 < ceil_div(kpos_count, 8); kpos1++) {
          #pragma omp simd reduction(+:sum)
          for (int kpos2 = 0; kpos2 < smaller(8, kpos_count - kpos1 * 8); kpos2++) {
            const int kpos = kB_begin + kpos1 * 8 + kpos2;
            const int k = B3_crd[kpos];
            sum += B_vals[kpos] * c_vals[k];
          }
        }
        A_vals[fpos] = sum;
      }
    }
  }
  return 0;
}
