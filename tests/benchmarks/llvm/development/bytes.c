void k(int n, const unsigned char *restrict a, const unsigned char *restrict b, int *restrict c) {
  unsigned h=1; int s=0; for (int i = 0; i < n*n; i++) { h = h*31 + a[i]; s += a[i]==b[i]; } c[0]=h; c[1]=s;
}
