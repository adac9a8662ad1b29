/* waves in two dimensions: two electric fields and a magnetic one */
#define STEPS 100
#define X 200
#define Y 240
#pragma ACCEL kernel
void waves(double ex[X][Y], double ey[X][Y], double hz[X][Y], double source[STEPS])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int t = 0; t < STEPS; t++) {
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int y = 0; y < Y; y++)
    ey[0][y] = source[t];
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
    for (int x = 1; x < X; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L5}
      for (int y = 0; y < Y; y++)
      ey[x][y] = ey[x][y] - 0.5 * (hz[x][y] - hz[x - 1][y]);
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L3}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L3}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L3}
    for (int x = 0; x < X; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L6}
      for (int y = 1; y < Y; y++)
      ex[x][y] = ex[x][y] - 0.5 * (hz[x][y] - hz[x][y - 1]);
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L4}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L4}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L4}
    for (int x = 0; x < X - 1; x++) {
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L7}
      for (int y = 0; y < Y - 1; y++)
      hz[x][y] = hz[x][y] - 0.7 * (ex[x][y + 1] - ex[x][y] + ey[x + 1][y] - ey[x][y]);
    }
  }
}
