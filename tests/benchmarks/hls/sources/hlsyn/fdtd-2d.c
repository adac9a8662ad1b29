/* waves in two dimensions: two electric fields and a magnetic one */
#define STEPS 40
#define X 60
#define Y 80
#pragma ACCEL kernel
void waves(double ex[X][Y], double ey[X][Y], double hz[X][Y], double source[STEPS])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int t = 0; t < STEPS; t++) {
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_0}
    for (int y = 0; y < Y; y++)
    ey[0][y] = source[t];
    #pragma ACCEL PIPELINE auto{__PIPE__L0_1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L0_1}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_1}
    for (int x = 1; x < X; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_1_0}
      for (int y = 0; y < Y; y++)
      ey[x][y] = ey[x][y] - 0.5 * (hz[x][y] - hz[x - 1][y]);
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L0_2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L0_2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_2}
    for (int x = 0; x < X; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_2_0}
      for (int y = 1; y < Y; y++)
      ex[x][y] = ex[x][y] - 0.5 * (hz[x][y] - hz[x][y - 1]);
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L0_3}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L0_3}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_3}
    for (int x = 0; x < X - 1; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0_3_0}
      for (int y = 0; y < Y - 1; y++)
      hz[x][y] = hz[x][y] - 0.7 * (ex[x][y + 1] - ex[x][y] + ey[x + 1][y] - ey[x][y]);
    }
  }
}
