/* Two-dimensional convolution (KTT, KernelTunerConvolution): the launch and the work of the published kernel, in pragmas of our own (from 16 sums
 * a thread on, the compiler keeps the loads that sums share, more than there are registers); the kernel
 * below is a plain one of the same geometry. PADDING is never asked for in its text. */

#pragma tunepass param BLOCK_SIZE_X: ordinal(1, 2, 4, 8, 16, 32, 48, 64, 96, 112, 128) = 16
#pragma tunepass param BLOCK_SIZE_Y: ordinal(1, 2, 4, 8, 16, 32) = 16
#pragma tunepass param TILE_SIZE_X: integer(1..8) = 1
#pragma tunepass param TILE_SIZE_Y: integer(1..8) = 1
#pragma tunepass param READ_ONLY: ordinal(0, 1) = 0
#pragma tunepass param PADDING: ordinal(0, 1) = 0

#pragma tunepass constraint BLOCK_SIZE_X * BLOCK_SIZE_Y >= 64 and BLOCK_SIZE_X * BLOCK_SIZE_Y <= 1024
#pragma tunepass constraint TILE_SIZE_X * TILE_SIZE_Y < 30

enum { SETTING = BLOCK_SIZE_X + BLOCK_SIZE_Y + TILE_SIZE_X + TILE_SIZE_Y + READ_ONLY + PADDING };
__constant__ float weights[225];

#pragma tunepass work flops(2 * 225 * TILE_SIZE_X * TILE_SIZE_Y) independent(TILE_SIZE_X * TILE_SIZE_Y) \
    integer(12 * ceildiv(BLOCK_SIZE_X * TILE_SIZE_X + 14, BLOCK_SIZE_X) * ceildiv(BLOCK_SIZE_Y * TILE_SIZE_Y + 14, BLOCK_SIZE_Y)) barriers(1)
#pragma tunepass access input: load(ceildiv(BLOCK_SIZE_X * TILE_SIZE_X + 14, BLOCK_SIZE_X) * ceildiv(BLOCK_SIZE_Y * TILE_SIZE_Y + 14, BLOCK_SIZE_Y)) stride(1, 4110) \
    distinct((BLOCK_SIZE_X * TILE_SIZE_X + 14) * (BLOCK_SIZE_Y * TILE_SIZE_Y + 14)) total(4110 * 4110) in readonly
#pragma tunepass access staged: store(ceildiv(BLOCK_SIZE_X * TILE_SIZE_X + 14, BLOCK_SIZE_X) * ceildiv(BLOCK_SIZE_Y * TILE_SIZE_Y + 14, BLOCK_SIZE_Y)) stride(1, (BLOCK_SIZE_X * TILE_SIZE_X + 14)) in shared bytes(4)
#pragma tunepass access staged: load(min(15 * TILE_SIZE_Y, (TILE_SIZE_Y - 1) * BLOCK_SIZE_Y + 15) * min(15 * TILE_SIZE_X, (TILE_SIZE_X - 1) * BLOCK_SIZE_X + 15)) stride(1, (BLOCK_SIZE_X * TILE_SIZE_X + 14)) in shared bytes(4)
#pragma tunepass access weights: load(225) stride(0) in constant
#pragma tunepass access output: store(TILE_SIZE_X * TILE_SIZE_Y) stride(1, 4096) distinct(BLOCK_SIZE_X * BLOCK_SIZE_Y * TILE_SIZE_X * TILE_SIZE_Y) total(4096 * 4096)

#pragma tunepass kernel convolution(output: out float[4096 * 4096], input: in float[4110 * 4110], weights: in float[225]) \
    grid(ceildiv(4096, BLOCK_SIZE_X * TILE_SIZE_X), ceildiv(4096, BLOCK_SIZE_Y * TILE_SIZE_Y)) block(BLOCK_SIZE_X, BLOCK_SIZE_Y) \
    shared(4 * (BLOCK_SIZE_X * TILE_SIZE_X + 14) * (BLOCK_SIZE_Y * TILE_SIZE_Y + 14)) accumulators(TILE_SIZE_X * TILE_SIZE_Y + if(BLOCK_SIZE_Y < 15 and TILE_SIZE_X * TILE_SIZE_Y > 15, 15 * TILE_SIZE_X * BLOCK_SIZE_Y, 0))
__global__ void convolution(float *output, const float *input)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < 225; i++)
        sum += weights[i] * input[(y + i / 15) * 4110 + x + i % 15];
    output[y * 4096 + x] = sum;
}
