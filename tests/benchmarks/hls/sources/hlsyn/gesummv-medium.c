/* y = alpha*a*x + beta*b*x */
#define N 250
#pragma ACCEL kernel
void gesummv(double alpha, double beta, double a[N][N], double b[N][N], double ax[N], double x[N], double y[N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < N; r++) {
    ax[r] = 0.0;
    y[r] = 0.0;
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int c = 0; c < N; c++) {
      ax[r] = a[r][c] * x[c] + ax[r];
      y[r] = b[r][c] * x[c] + y[r];
    }
    y[r] = alpha * ax[r] + beta * y[r];
  }
}
