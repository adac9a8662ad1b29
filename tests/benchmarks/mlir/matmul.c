#pragma tunepass kernel matmul(n = 256, A: in float[n*n], B: in float[n*n], C: inout float[n*n])
void matmul(int n, const float A[restrict n][n], const float B[restrict n][n], float C[restrict n][n])
{
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}
