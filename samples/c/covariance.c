/* The covariance of the columns of X as textbooks have it: means, centred data, and a triangle of products summed down the
 * columns. `loop auto` derives what may be done to these loops from what depends on what, and keeps the C readable: it is
 * in out/covariance.tuned.c.
 *
 *     tunepass build samples/c/covariance.c -o out --budget 60s -- gcc -O3 -march=native
 */

#pragma tunepass kernel covariance(n = 300, m = 240, X: inout double[n*m], mean: out double[m], S: out double[m*m]) \
    tolerance(1e-9)
void covariance(int n, int m, double X[restrict n][m], double mean[restrict m], double S[restrict m][m])
{
#pragma tunepass loop auto
    {
        for (int j = 0; j < m; j++) {
            mean[j] = 0.0;
            for (int i = 0; i < n; i++)
                mean[j] += X[i][j];
            mean[j] /= n;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                X[i][j] -= mean[j];
        for (int i = 0; i < m; i++)
            for (int j = i; j < m; j++) {
                S[i][j] = 0.0;
                for (int k = 0; k < n; k++)
                    S[i][j] += X[k][i] * X[k][j];
                S[i][j] /= n - 1;
                S[j][i] = S[i][j];
            }
    }
}
