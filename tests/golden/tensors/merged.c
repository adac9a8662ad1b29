int merged(
    int i_size,
    int j_size,
    double *restrict A_vals,
    const int *restrict B2_pos,
    const int *restrict B2_crd,
    const double *restrict B_vals,
    const int *restrict C2_pos,
    const int *restrict C2_crd,
    const double *restrict C_vals) {
  (void)j_size;
  for (int i = 0; i < i_size; i++) {
    int jC = C2_pos[i];
    const int jC_end = C2_pos[i + 1];
    for (int jB = B2_pos[i]; jB < B2_pos[i + 1]; jB++) {
      const int j = B2_crd[jB];
      for (long at = jB; at < jB + 1; at++) A_vals[at] = 0.0;
      while (jC < jC_end && C2_crd[jC] < j) jC++;
      if (jC < jC_end && C2_crd[jC] == j) {
        A_vals[jB] += B_vals[jB] * C_vals[jC];
      }
    }
  }
  return 0;
}
