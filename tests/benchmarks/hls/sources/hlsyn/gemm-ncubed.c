/* c = a * b; matrices row by row */
#define N 64
#pragma ACCEL kernel
void product(double a[N * N], double b[N * N], double c[N * N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < N; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int s = 0; s < N; s++) {
      double sum = 0.0;
      #pragma ACCEL PARALLEL reduction=sum FACTOR=auto{__PARA__L2}
      for (int n = 0; n < N; n++)
      sum += a[r * N + n] * b[n * N + s];
      c[r * N + s] = sum;
    }
  }
}
