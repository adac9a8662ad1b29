/* Two-dimensional convolution (benchmark_hub's convolution_milo): the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. Where blocks reach over the image's border, outputs are guarded one by one, and
 * share no loads that are not staged. Loads known to be of constant data are done early, and kept. */

#pragma tunepass param block_size_x: ordinal(16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256) = 16
#pragma tunepass param block_size_y: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass param tile_size_x: integer(1..4) = 1
#pragma tunepass param tile_size_y: integer(1..4) = 1
#pragma tunepass param read_only: ordinal(0, 1) = 0
#pragma tunepass param use_padding: ordinal(0, 1) = 0
#pragma tunepass param use_shmem: ordinal(0, 1) = 1

#pragma tunepass constraint use_padding == 0 or block_size_x % 32 != 0
#pragma tunepass constraint block_size_x * block_size_y <= 1024
#pragma tunepass constraint use_padding == 0 or use_shmem != 0
#pragma tunepass constraint use_shmem == 0 or (block_size_x * tile_size_x + 14) * (block_size_y * tile_size_y + 14) < 12 * 1024

enum { SETTING = block_size_x + block_size_y + tile_size_x + tile_size_y + read_only + use_padding + use_shmem };
__constant__ float weights[225];

#pragma tunepass work flops(2 * 225 * tile_size_x * tile_size_y) independent(tile_size_x * tile_size_y) \
    integer(if(use_shmem == 1, 12 * ceildiv(block_size_x * tile_size_x + 14, block_size_x) * ceildiv(block_size_y * tile_size_y + 14, block_size_y), 4 * tile_size_x * tile_size_y)) barriers(if(use_shmem == 1, 1, 0))
#pragma tunepass access input: load(if(use_shmem == 1, ceildiv(block_size_x * tile_size_x + 14, block_size_x) * ceildiv(block_size_y * tile_size_y + 14, block_size_y), if((4096 % (block_size_x * tile_size_x) != 0 or 4096 % (block_size_y * tile_size_y) != 0), 225 * tile_size_x * tile_size_y, min(15 * tile_size_y, (tile_size_y - 1) * block_size_y + 15) * min(15 * tile_size_x, (tile_size_x - 1) * block_size_x + 15)))) stride(1, 4110) \
    distinct((block_size_x * tile_size_x + 14) * (block_size_y * tile_size_y + 14)) total(4110 * 4110) in readonly
#pragma tunepass access staged: store(if(use_shmem == 1, ceildiv(block_size_x * tile_size_x + 14, block_size_x) * ceildiv(block_size_y * tile_size_y + 14, block_size_y), 0)) stride(1, ((block_size_x * tile_size_x + 14) + if(use_padding == 1 and block_size_x % 32 != 0 and ((block_size_x * tile_size_x + 14) - block_size_x) % 32 != 0, (block_size_x - (block_size_x * tile_size_x + 14)) % 32, 0))) in shared bytes(4)
#pragma tunepass access staged: load(if(use_shmem == 1, min(15 * tile_size_y, (tile_size_y - 1) * block_size_y + 15) * min(15 * tile_size_x, (tile_size_x - 1) * block_size_x + 15), 0)) stride(1, ((block_size_x * tile_size_x + 14) + if(use_padding == 1 and block_size_x % 32 != 0 and ((block_size_x * tile_size_x + 14) - block_size_x) % 32 != 0, (block_size_x - (block_size_x * tile_size_x + 14)) % 32, 0))) in shared bytes(4)
#pragma tunepass access weights: load(225) stride(0) in constant
#pragma tunepass access output: store(tile_size_x * tile_size_y) stride(1, 4096) distinct(block_size_x * block_size_y * tile_size_x * tile_size_y) total(4096 * 4096)

#pragma tunepass kernel convolution(output: out float[4096 * 4096], input: in float[4110 * 4110], weights: in float[225]) \
    grid(ceildiv(4096, block_size_x * tile_size_x), ceildiv(4096, block_size_y * tile_size_y)) block(block_size_x, block_size_y) \
    shared(if(use_shmem == 1, 4 * ((block_size_x * tile_size_x + 14) + if(use_padding == 1 and block_size_x % 32 != 0 and ((block_size_x * tile_size_x + 14) - block_size_x) % 32 != 0, (block_size_x - (block_size_x * tile_size_x + 14)) % 32, 0)) * (block_size_y * tile_size_y + 14), 0)) accumulators(tile_size_x * tile_size_y + \
        if(read_only == 1 and use_shmem == 0 and block_size_y < 15 and 4096 % (block_size_x * tile_size_x) == 0 and 4096 % (block_size_y * tile_size_y) == 0, 15 * tile_size_x * block_size_y * (tile_size_y - 1), 0))
__global__ void convolution(float *output, const float *input)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < 225; i++)
        sum += weights[i] * input[(y + i / 15) * 4110 + x + i % 15];
    output[y * 4096 + x] = sum;
}
