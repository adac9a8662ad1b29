/* y = transpose(a) * (a * x) */
#define ROWS 116
#define COLS 124
#pragma ACCEL kernel
void atax(double a[ROWS][COLS], double x[COLS], double y[COLS], double ax[ROWS])
{
  for (int c = 0; c < COLS; c++)
  y[c] = 0.0;
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int r = 0; r < ROWS; r++) {
    ax[r] = 0.0;
    #pragma ACCEL PARALLEL reduction=ax FACTOR=auto{__PARA__L0_0}
    for (int c = 0; c < COLS; c++)
    ax[r] += a[r][c] * x[c];
    #pragma ACCEL PARALLEL reduction=y FACTOR=auto{__PARA__L0_1}
    for (int c = 0; c < COLS; c++)
    y[c] += a[r][c] * ax[r];
  }
}
