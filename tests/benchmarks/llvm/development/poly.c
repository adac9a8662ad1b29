void k(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n*n; i++) { double x=a[i], y=0; for (int d=0; d<12; d++) y=y*x+b[d]; c[i]=y; }
}
