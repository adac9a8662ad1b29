/* out = beta*out + (alpha*left*middle)*right */
#define P 40
#define Q 50
#define R 70
#define S 80
#pragma ACCEL kernel
void two_products(double alpha, double beta, double mid[P][Q], double left[P][R], double middle[R][Q], double right[Q][S], double out[P][S])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < P; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
    for (int c = 0; c < Q; c++) {
      mid[r][c] = 0.0;
      #pragma ACCEL PARALLEL reduction=mid FACTOR=auto{__PARA__L4}
      for (int d = 0; d < R; d++)
      mid[r][c] += alpha * left[r][d] * middle[d][c];
    }
  }
  #pragma ACCEL PIPELINE auto{__PIPE__L1}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
  for (int r = 0; r < P; r++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L3}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L3}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L3}
    for (int c = 0; c < S; c++) {
      out[r][c] *= beta;
      #pragma ACCEL PARALLEL reduction=out FACTOR=auto{__PARA__L5}
      for (int d = 0; d < Q; d++)
      out[r][c] += mid[r][d] * right[d][c];
    }
  }
}
