/* C = A B of N x N matrices, for Vitis HLS. Blocks of B are kept on chip; a row of A is multiplied with LANES columns at once.
 *
 *     tunepass space samples/hls/matmul.cpp
 *     tunepass estimate samples/hls/matmul.cpp --device vu9p
 */
#define N 256
#pragma tunepass param LANES: ordinal(1, 2, 4, 8, 16, 32) = 4
#pragma tunepass param BANKS: ordinal(1, 2, 4, 8, 16, 32) = 4
#pragma tunepass param INTERVAL: ordinal(1, 2, 4) = 1
#pragma tunepass hls matmul clock(250)

#define LANES 4
#define BANKS 4
#define INTERVAL 1

void matmul(const float a[N][N], const float b[N][N], float c[N][N])
{
#pragma HLS interface m_axi port=a bundle=left
#pragma HLS interface m_axi port=b bundle=right
#pragma HLS interface m_axi port=c bundle=left
    float kept[N][N];
    float row[N];
    float sums[N];
#pragma HLS array_partition variable=kept cyclic factor=BANKS dim=2
#pragma HLS array_partition variable=sums cyclic factor=BANKS dim=1

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
#pragma HLS pipeline II=1
            kept[i][j] = b[i][j];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
#pragma HLS pipeline II=1
            row[j] = a[i][j];
            sums[j] = 0;
        }
        for (int k = 0; k < N; k++) {
            for (int j = 0; j < N; j++) {
#pragma HLS pipeline II=INTERVAL
#pragma HLS unroll factor=LANES
                sums[j] += row[k] * kept[k][j];
            }
        }
        for (int j = 0; j < N; j++) {
#pragma HLS pipeline II=1
            c[i][j] = sums[j];
        }
    }
}
