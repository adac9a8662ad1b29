/* Two-dimensional convolution: each pixel of a (w, h) image is the weighted sum of the 9 x 9 pixels around it. The input has a
 * border of 4 pixels on each side, so that no pixel is asked for that is not there.
 *
 * A group of BX x BY items computes BX*TX x BY*TY pixels, an item TX x TY of them. With STAGE "LOCAL" the pixels that the group
 * needs are copied to local memory first, with "CACHE" each item reads what it needs by itself. The weights are in constant memory.
 *
 *     tunepass build samples/opencl/convolution.cl -o out --device opencl --max-evals 60
 *     tunepass build samples/opencl/convolution.cl -o out --device mi250x --max-evals 60   (estimated, nothing runs)
 */

#pragma tunepass param BX: pow2(4, 64) = 16 log
#pragma tunepass param BY: pow2(1, 32) = 8 log
#pragma tunepass param TX: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param TY: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param STAGE: categorical("CACHE", "LOCAL") = "LOCAL"
#pragma tunepass param UNROLL: ordinal(1, 3, 9) = 1

#pragma tunepass constraint BX * BY >= 16
#pragma tunepass constraint TX * TY <= 32

#pragma tunepass work flops(2 * 9 * 9 * TX * TY) independent(TX * TY) barriers(if(STAGE == "LOCAL", 1, 0)) \
    integer(9 * 9 // UNROLL + if(STAGE == "LOCAL", 5 * ceildiv((BX * TX + 8) * (BY * TY + 8), BX * BY), 0))
#pragma tunepass access image: load(if(STAGE == "LOCAL", ceildiv((BX * TX + 8) * (BY * TY + 8), BX * BY), 9 * 9 * TX * TY)) \
    stride(1, if(STAGE == "LOCAL", BX, w + 8)) distinct((BX * TX + 8) * (BY * TY + 8)) total((w + 8) * (h + 8)) in readonly
#pragma tunepass access tile: store(if(STAGE == "LOCAL", ceildiv((BX * TX + 8) * (BY * TY + 8), BX * BY), 0)) \
    stride(1, BX) in shared
#pragma tunepass access tile: load(if(STAGE == "LOCAL", 9 * 9 * TX * TY, 0)) stride(1, BX * TX + 8) in shared
#pragma tunepass access weights: load(9 * 9) stride(0) distinct(9 * 9) total(9 * 9) in constant
#pragma tunepass access result: store(TX * TY) stride(1, w) distinct(BX * BY * TX * TY) total(w * h)

#pragma tunepass kernel convolution(w = 1000, h = 700, image: in float[(w + 8) * (h + 8)], weights: in float[9 * 9], \
    result: out float[w * h]) \
    grid(ceildiv(w, BX * TX), ceildiv(h, BY * TY)) block(BX, BY) \
    shared(if(STAGE == "LOCAL", 4 * (BX * TX + 8) * (BY * TY + 8), 0)) accumulators(TX * TY) \
    tolerance(1e-4) reference(convolution_plain, grid(ceildiv(w, 16), ceildiv(h, 16)), block(16, 16))

#ifndef BX
#define BX 16
#endif
#ifndef BY
#define BY 8
#endif
#ifndef TX
#define TX 1
#endif
#ifndef TY
#define TY 1
#endif
#ifndef STAGE
#define STAGE LOCAL
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

#define CACHE 0
#define LOCAL 1

#define SIDE 9
#define BORDER (SIDE - 1) /* both sides together */
#define WIDTH (BX * TX + BORDER)
#define HEIGHT (BY * TY + BORDER)

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void
convolution(int w, int h, __global const float *restrict image, __constant float *restrict weights,
            __global float *restrict result)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int x0 = get_group_id(0) * BX * TX, y0 = get_group_id(1) * BY * TY;
    float sum[TY][TX];
    for (int r = 0; r < TY; r++)
        for (int c = 0; c < TX; c++)
            sum[r][c] = 0;
#if STAGE == LOCAL
    __local float tile[HEIGHT][WIDTH];
    for (int at = y * BX + x; at < HEIGHT * WIDTH; at += BX * BY) {
        const int row = at / WIDTH, column = at % WIDTH;
        if (y0 + row < h + BORDER && x0 + column < w + BORDER)
            tile[row][column] = image[(size_t)(y0 + row) * (w + BORDER) + x0 + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int i = 0; i < SIDE; i++) {
#pragma unroll UNROLL
        for (int j = 0; j < SIDE; j++) {
            const float weight = weights[i * SIDE + j];
            for (int r = 0; r < TY; r++)
                for (int c = 0; c < TX; c++) {
                    const int row = y + r * BY + i, column = x + c * BX + j;
#if STAGE == LOCAL
                    sum[r][c] += weight * tile[row][column];
#else
                    if (y0 + row < h + BORDER && x0 + column < w + BORDER)
                        sum[r][c] += weight * image[(size_t)(y0 + row) * (w + BORDER) + x0 + column];
#endif
                }
        }
    }
    for (int r = 0; r < TY; r++)
        for (int c = 0; c < TX; c++) {
            const int row = y0 + y + r * BY, column = x0 + x + c * BX;
            if (row < h && column < w)
                result[(size_t)row * w + column] = sum[r][c];
        }
}

/* One pixel an item: what results are compared with. */
__kernel void convolution_plain(int w, int h, __global const float *image, __constant float *weights, __global float *result)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= w || y >= h)
        return;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += weights[i * SIDE + j] * image[(size_t)(y + i) * (w + BORDER) + x + j];
    result[(size_t)y * w + x] = sum;
}
