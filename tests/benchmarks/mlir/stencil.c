#pragma tunepass kernel stencil(n = 514, U: in float[n*n], V: inout float[n*n])
void stencil(int n, const float U[restrict n][n], float V[restrict n][n])
{
#pragma tunepass loop auto
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            V[i][j] = 0.2f * (U[i][j] + U[i - 1][j] + U[i + 1][j] + U[i][j - 1] + U[i][j + 1]);
}
