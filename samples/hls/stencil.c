/* Steps of a five-point stencil on a plane, for Merlin. At most 64 points at once.
 *
 *     tunepass space samples/hls/stencil.c
 *     tunepass estimate samples/hls/stencil.c --device vu9p
 */
#define STEPS 20
#define HEIGHT 128
#define WIDTH 128
#pragma tunepass constraint LINES * POINTS <= 64

#pragma ACCEL kernel
void stencil(float now[HEIGHT][WIDTH], float then[HEIGHT][WIDTH])
{
#pragma ACCEL PIPELINE auto{STEP}
    for (int t = 0; t < STEPS; t++) {
#pragma ACCEL PIPELINE auto{LINE}
#pragma ACCEL PARALLEL FACTOR=auto{LINES}
        for (int i = 1; i < HEIGHT - 1; i++) {
#pragma ACCEL PARALLEL FACTOR=auto{POINTS}
            for (int j = 1; j < WIDTH - 1; j++)
                then[i][j] = 0.2f * (now[i][j] + now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
        }
#pragma ACCEL PARALLEL FACTOR=auto{COPIED}
        for (int i = 1; i < HEIGHT - 1; i++) {
            for (int j = 1; j < WIDTH - 1; j++)
                now[i][j] = then[i][j];
        }
    }
}
