/* heat in three dimensions, from one field to the other and back */
#define STEPS 40
#define N 20
#pragma ACCEL kernel
void heat(double now[N][N][N], double next[N][N][N])
{
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int t = 0; t < STEPS; t++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    for (int x = 1; x < N - 1; x++) {
      #pragma ACCEL PIPELINE auto{__PIPE__L3}
      #pragma ACCEL TILE FACTOR=auto{__TILE__L3}
      for (int y = 1; y < N - 1; y++) {
        for (int z = 1; z < N - 1; z++)
        next[x][y][z] = 0.125 * (now[x + 1][y][z] - 2.0 * now[x][y][z] + now[x - 1][y][z]) + 0.125 * (now[x][y + 1][z] - 2.0 * now[x][y][z] + now[x][y - 1][z]) + 0.125 * (now[x][y][z + 1] - 2.0 * now[x][y][z] + now[x][y][z - 1]) + now[x][y][z];
      }
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    for (int x = 1; x < N - 1; x++) {
      #pragma ACCEL PIPELINE auto{__PIPE__L4}
      #pragma ACCEL TILE FACTOR=auto{__TILE__L4}
      for (int y = 1; y < N - 1; y++) {
        for (int z = 1; z < N - 1; z++)
        now[x][y][z] = 0.125 * (next[x + 1][y][z] - 2.0 * next[x][y][z] + next[x - 1][y][z]) + 0.125 * (next[x][y + 1][z] - 2.0 * next[x][y][z] + next[x][y - 1][z]) + 0.125 * (next[x][y][z + 1] - 2.0 * next[x][y][z] + next[x][y][z - 1]) + next[x][y][z];
      }
    }
  }
}
