void k(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i+1 < n; i+=2) for (int j = 0; j+1 < n; j+=2) { double m=a[i*n+j]; if(a[i*n+j+1]>m)m=a[i*n+j+1]; if(a[i*n+n+j]>m)m=a[i*n+n+j]; if(a[i*n+n+j+1]>m)m=a[i*n+n+j+1]; c[(i/2)*(n/2)+j/2]=m+b[j]; }
}
