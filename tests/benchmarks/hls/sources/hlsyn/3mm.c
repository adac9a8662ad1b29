/* out = (a*b) * (c*d) */
#define P 40
#define Q 50
#define R 60
#define S 70
#define T 80
#pragma ACCEL kernel
void three_products(double ab[P][Q], double a[P][R], double b[R][Q], double cd[Q][S], double c[Q][T], double d[T][S], double out[P][S])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < P; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L3}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L3}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L3}
    for (int s = 0; s < Q; s++) {
      ab[r][s] = 0.0;
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L6}
      for (int n = 0; n < R; n++)
      ab[r][s] += a[r][n] * b[n][s];
    }
  }
  #pragma ACCEL PIPELINE auto{__PIPE__L1}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
  for (int r = 0; r < Q; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L4}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L4}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L4}
    for (int s = 0; s < S; s++) {
      cd[r][s] = 0.0;
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L7}
      for (int n = 0; n < T; n++)
      cd[r][s] += c[r][n] * d[n][s];
    }
  }
  #pragma ACCEL PIPELINE auto{__PIPE__L2}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
  for (int r = 0; r < P; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L5}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L5}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L5}
    for (int s = 0; s < S; s++) {
      out[r][s] = 0.0;
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L8}
      for (int n = 0; n < Q; n++)
      out[r][s] += ab[r][n] * cd[n][s];
    }
  }
}
