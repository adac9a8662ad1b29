/* y = A x, for Merlin: what is tiled, pipelined and parallel is left to tunepass.
 *
 *     tunepass space samples/hls/matvec.c
 *     tunepass estimate samples/hls/matvec.c --device vu9p
 */
#define ROWS 512
#define COLUMNS 400

#pragma ACCEL kernel
void matvec(const float a[ROWS][COLUMNS], const float x[COLUMNS], float y[ROWS])
{
#pragma ACCEL PIPELINE auto{OUTER}
#pragma ACCEL TILE FACTOR=auto{TILE}
#pragma ACCEL PARALLEL FACTOR=auto{ROWS_AT_ONCE}
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
#pragma ACCEL PARALLEL reduction=sum FACTOR=auto{COLUMNS_AT_ONCE}
        for (int j = 0; j < COLUMNS; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
