/* Two-dimensional convolution: each pixel of a (w, h) image is the weighted sum of the 17 x 17 pixels around it. The input has a
 * border of 8 pixels on each side, so that no pixel is asked for that is not there.
 *
 * A block of BX x BY threads computes BX*TX x BY*TY pixels, a thread TX x TY of them. With STAGE "SHARED" the pixels that the
 * block needs are copied to shared memory first, with "CACHE" each thread reads what it needs through the read-only cache.
 * The weights are in constant memory: all threads of a warp read the same one at a time.
 *
 *     tunepass build samples/cuda/convolution.cu -o out --device a100 --max-evals 200
 */

#pragma tunepass param BX: pow2(16, 128) = 16 log
#pragma tunepass param BY: pow2(1, 32) = 16 log
#pragma tunepass param TX: ordinal(1, 2, 3, 4, 8) = 1
#pragma tunepass param TY: ordinal(1, 2, 3, 4, 8) = 1
#pragma tunepass param STAGE: categorical("CACHE", "SHARED") = "SHARED"
#pragma tunepass param PAD: ordinal(0, 1) = 0
#pragma tunepass param UNROLL: ordinal(1, 17) = 1

#pragma tunepass constraint BX * BY >= 32
#pragma tunepass constraint TX * TY <= 32
#pragma tunepass constraint PAD == 0 or STAGE == "SHARED"

#pragma tunepass work flops(2 * 17 * 17 * TX * TY) independent(TX * TY) barriers(if(STAGE == "SHARED", 1, 0)) \
    integer(3 * 17 * 17 // UNROLL + if(STAGE == "SHARED", 5 * ceildiv((BX * TX + 16) * (BY * TY + 16), BX * BY), 17 * 17 * TX * TY))
#pragma tunepass access image: load(if(STAGE == "SHARED", ceildiv((BX * TX + 16) * (BY * TY + 16), BX * BY), 17 * 17 * TX * TY)) \
    stride(1, if(STAGE == "SHARED", BX, w + 16)) distinct((BX * TX + 16) * (BY * TY + 16)) total((w + 16) * (h + 16)) in readonly
#pragma tunepass access tile: store(if(STAGE == "SHARED", ceildiv((BX * TX + 16) * (BY * TY + 16), BX * BY), 0)) stride(1, BX) in shared
#pragma tunepass access tile: load(if(STAGE == "SHARED", 17 * 17 * TX * TY, 0)) stride(1, BX * TX + 16 + PAD) in shared
#pragma tunepass access weights: load(17 * 17) stride(0) distinct(17 * 17) total(17 * 17) in constant
#pragma tunepass access result: store(TX * TY) stride(1, w) distinct(BX * BY * TX * TY) total(w * h)

#pragma tunepass kernel convolution(w = 4096, h = 4096, image: in float[(w + 16) * (h + 16)], result: out float[w * h], \
    weights: in float[17 * 17]) \
    grid(ceildiv(w, BX * TX), ceildiv(h, BY * TY)) block(BX, BY) \
    shared(if(STAGE == "SHARED", 4 * (BX * TX + 16 + PAD) * (BY * TY + 16), 0)) accumulators(TX * TY) \
    tolerance(1e-4) reference(convolution_plain, grid(ceildiv(w, 16), ceildiv(h, 16)), block(16, 16))

#ifndef BX
#define BX 16
#endif
#ifndef BY
#define BY 16
#endif
#ifndef TX
#define TX 1
#endif
#ifndef TY
#define TY 1
#endif
#ifndef STAGE
#define STAGE SHARED
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

#define CACHE 0
#define SHARED 1

#define SIDE 17
#define BORDER (SIDE - 1) /* both sides together */
#define WIDTH (BX * TX + BORDER)
#define HEIGHT (BY * TY + BORDER)

static constexpr int unroll = UNROLL;

__constant__ float weights[SIDE * SIDE];

extern "C" __global__ void __launch_bounds__(BX *BY)
    convolution(int w, int h, const float *__restrict__ image, float *__restrict__ result)
{
    const int x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * BX * TX, y0 = blockIdx.y * BY * TY;
    float sum[TY][TX] = {};
#if STAGE == SHARED
    __shared__ float tile[HEIGHT][WIDTH + PAD];
    for (int at = y * BX + x; at < HEIGHT * WIDTH; at += BX * BY) {
        const int row = at / WIDTH, column = at % WIDTH;
        if (y0 + row < h + BORDER && x0 + column < w + BORDER)
            tile[row][column] = image[(size_t)(y0 + row) * (w + BORDER) + x0 + column];
    }
    __syncthreads();
#endif
#pragma unroll 1
    for (int i = 0; i < SIDE; i++) {
#pragma unroll unroll
        for (int j = 0; j < SIDE; j++) {
            const float weight = weights[i * SIDE + j];
#pragma unroll
            for (int r = 0; r < TY; r++)
#pragma unroll
                for (int c = 0; c < TX; c++) {
                    const int row = y + r * BY + i, column = x + c * BX + j;
#if STAGE == SHARED
                    sum[r][c] += weight * tile[row][column];
#else
                    if (y0 + row < h + BORDER && x0 + column < w + BORDER)
                        sum[r][c] += weight * __ldg(&image[(size_t)(y0 + row) * (w + BORDER) + x0 + column]);
#endif
                }
        }
    }
#pragma unroll
    for (int r = 0; r < TY; r++)
#pragma unroll
        for (int c = 0; c < TX; c++) {
            const int row = y0 + y + r * BY, column = x0 + x + c * BX;
            if (row < h && column < w)
                result[(size_t)row * w + column] = sum[r][c];
        }
}

/* One pixel a thread: what results are compared with. */
extern "C" __global__ void convolution_plain(int w, int h, const float *image, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (x >= w || y >= h)
        return;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += weights[i * SIDE + j] * image[(size_t)(y + i) * (w + BORDER) + x + j];
    result[(size_t)y * w + x] = sum;
}
