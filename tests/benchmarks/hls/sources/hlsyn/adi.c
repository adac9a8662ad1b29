/* alternating directions: columns, then rows, each swept forth and back */
#define STEPS 40
#define N 60
#pragma ACCEL kernel
void adi(double u[N][N], double v[N][N], double p[N][N], double q[N][N])
{
  double dx = 1.0 / N;
  double dy = 1.0 / N;
  double dt = 1.0 / STEPS;
  double m1 = 2.0 * dt / (dx * dx);
  double m2 = 1.0 * dt / (dy * dy);
  double a = -m1 / 2.0;
  double b = 1.0 + m1;
  double c = a;
  double d = -m2 / 2.0;
  double e = 1.0 + m2;
  double f = d;
  #pragma ACCEL PIPELINE auto{__PIPE__L0}
  #pragma ACCEL TILE FACTOR=auto{__TILE__L0}
  #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L0}
  for (int t = 0; t < STEPS; t++) {
    #pragma ACCEL PIPELINE auto{__PIPE__L1}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L1}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L1}
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L3}
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
      }
      v[N - 1][i] = 1.0;
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L4}
      for (int j = 0; j < N - 2; j++)
      v[N - 2 - j][i] = p[i][N - 2 - j] * v[N - 1 - j][i] + q[i][N - 2 - j];
    }
    #pragma ACCEL PIPELINE auto{__PIPE__L2}
    #pragma ACCEL TILE FACTOR=auto{__TILE__L2}
    #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L2}
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L5}
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
      }
      u[i][N - 1] = 1.0;
      #pragma ACCEL PARALLEL FACTOR=auto{__PARA__L6}
      for (int j = 0; j < N - 2; j++)
      u[i][N - 2 - j] = p[i][N - 2 - j] * u[i][N - 1 - j] + q[i][N - 2 - j];
    }
  }
}
