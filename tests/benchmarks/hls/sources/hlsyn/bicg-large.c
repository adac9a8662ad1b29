/* s = transpose(a) * r and q = a * p, in one sweep */
#define ROWS 410
#define COLS 390
#pragma ACCEL kernel
void bicg(double a[ROWS][COLS], double s[COLS], double q[ROWS], double p[COLS], double r[ROWS])
{
  for (int c = 0; c < COLS; c++)
  s[c] = 0.0;
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int i = 0; i < ROWS; i++) {
    q[i] = 0.0;
    #pragma ACCEL PARALLEL reduction FACTOR=auto{__PARA__L1}
    for (int c = 0; c < COLS; c++) {
      s[c] += r[i] * a[i][c];
      q[i] += a[i][c] * p[c];
    }
  }
}
