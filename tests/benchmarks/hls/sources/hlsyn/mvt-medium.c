/* x += a * u and y += transpose(a) * v */
#define N 400
#pragma ACCEL kernel
void mvt(double x[N], double y[N], double u[N], double v[N], double a[N][N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < N; r++) {
    #pragma ACCEL PARALLEL reduction=x FACTOR=auto{__PARA__L2}
    for (int c = 0; c < N; c++)
    x[r] += a[r][c] * u[c];
  }
  #pragma ACCEL PIPELINE auto{__PIPE__L1}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
  for (int r = 0; r < N; r++) {
    #pragma ACCEL PARALLEL reduction=y FACTOR=auto{__PARA__L3}
    for (int c = 0; c < N; c++)
    y[r] += a[c][r] * v[c];
  }
}
