/* c = alpha*a*b + beta*c */
#define P 60
#define Q 70
#define R 80
#pragma ACCEL kernel
void gemm(double alpha, double beta, double c[P][Q], double a[P][R], double b[R][Q])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < P; r++) {
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int s = 0; s < Q; s++)
    c[r][s] *= beta;
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
    for (int n = 0; n < R; n++) {
      #pragma ACCEL PARALLEL reduction=c FACTOR=auto{__PARA__L3}
      for (int s = 0; s < Q; s++)
      c[r][s] += alpha * a[r][n] * b[n][s];
    }
  }
}
