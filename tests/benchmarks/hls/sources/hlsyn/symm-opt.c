/* c = alpha*a*b + beta*c, a symmetric and its lower half stored */
#define M 60
#define N 80
#pragma ACCEL kernel
void symm(double alpha, double beta, double c[M][N], double a[M][M], double b[M][N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int i = 0; i < M; i++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int j = 0; j < N; j++) {
      double own = b[i][j];
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
      for (int k = 0; k < M; k++) {
        if (k < i)
        c[k][j] += alpha * own * a[i][k];
      }
      double sum = 0.0;
      #pragma ACCEL PARALLEL reduction=sum FACTOR=auto{__PARA__L3}
      for (int k = 0; k < M; k++) {
        if (k < i)
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
    }
  }
}
