/* the lower half of a symmetric update of c */
#define N 80
#define M 60
#pragma ACCEL kernel
void syrk(double alpha, double beta, double c[N][N], double a[N][M])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int i = 0; i < N; i++) {
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int j = 0; j < N; j++) {
      if (j <= i)
      c[i][j] *= beta;
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
    for (int k = 0; k < M; k++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L3}
      for (int j = 0; j < N; j++) {
        if (j <= i)
        c[i][j] += alpha * a[i][k] * a[j][k];
      }
    }
  }
}
