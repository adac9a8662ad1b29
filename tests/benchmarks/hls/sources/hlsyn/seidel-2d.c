/* Gauss-Seidel: the mean of nine neighbours, in place */
#define STEPS 40
#define N 120
#pragma ACCEL kernel
void seidel(double a[N][N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int t = 0; t < STEPS; t++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int x = 1; x < N - 1; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
      for (int y = 1; y < N - 1; y++)
      a[x][y] = (a[x - 1][y - 1] + a[x - 1][y] + a[x - 1][y + 1] + a[x][y - 1] + a[x][y] + a[x][y + 1] + a[x + 1][y - 1] + a[x + 1][y] + a[x + 1][y + 1]) / 9.0;
    }
  }
}
