/* c += a * b in blocks of B x B; matrices row by row */
#define N 64
#define B 8
#pragma ACCEL kernel
void blocked(double a[N * N], double b[N * N], double c[N * N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  for (int jb = 0; jb < N / B; jb++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    for (int kb = 0; kb < N / B; kb++) {
      #pragma ACCEL PIPELINE auto{__PIPE__L2}
      #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
      for (int i = 0; i < N; i++) {
        #pragma ACCEL PIPELINE auto{__PIPE__L3}
        #pragma ACCEL TILE FACTOR=auto{__TILE__L3}
        for (int k = 0; k < B; k++) {
          double left = a[i * N + k + B * kb];
          for (int j = 0; j < B; j++)
          c[i * N + j + B * jb] += left * b[(k + B * kb) * N + j + B * jb];
        }
      }
    }
  }
}
