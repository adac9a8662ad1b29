/* Dedispersion of a radio signal (benchmark_hub's dedisp_milo): the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. Delays of neighbouring dispersion
 * measures differ by at most a third of a sample. Work is that of the average thread: those beyond the last sample
 * or measure have none. Conversions between integers and floats are special operations. */

#pragma tunepass param block_size_x: ordinal(1, 2, 4, 8, 16, 32) = 16
#pragma tunepass param block_size_y: integer(32..256 step 8) = 32
#pragma tunepass param tile_size_x: integer(1..4) = 1
#pragma tunepass param tile_size_y: integer(1..8) = 1
#pragma tunepass param tile_stride_x: ordinal(0, 1) = 0
#pragma tunepass param tile_stride_y: ordinal(0, 1) = 0

#pragma tunepass constraint block_size_x * block_size_y >= 32 and block_size_x * block_size_y <= 1024
#pragma tunepass constraint tile_size_x > 1 or tile_stride_x == 0
#pragma tunepass constraint tile_size_y > 1 or tile_stride_y == 0

enum { SETTING = block_size_x + block_size_y + tile_size_x + tile_size_y + tile_stride_x + tile_stride_y };

#pragma tunepass work flops(1536 * 4 * 2048 * 25000 / (ceildiv(2048, block_size_y * tile_size_y) * block_size_y * ceildiv(25000, block_size_x * tile_size_x) * block_size_x)) \
    integer(1536 * 3 * 2048 * 25000 / (ceildiv(2048, block_size_y * tile_size_y) * block_size_y * ceildiv(25000, block_size_x * tile_size_x) * block_size_x)) \
    special(1536 * 2 * 2048 * 25000 / (ceildiv(2048, block_size_y * tile_size_y) * block_size_y * ceildiv(25000, block_size_x * tile_size_x) * block_size_x)) \
    independent(2)
#pragma tunepass access input: load(1536 * 2048 * 25000 / (ceildiv(2048, block_size_y * tile_size_y) * block_size_y * ceildiv(25000, block_size_x * tile_size_x) * block_size_x)) \
    stride(if(tile_stride_x == 1, 1, tile_size_x), 1) \
    distinct(1536 * (block_size_x * tile_size_x + block_size_y * tile_size_y // 6)) total(1536 * 25650) in readonly
#pragma tunepass access shifts: load(1536 * 2048 * 25000 / (ceildiv(2048, block_size_y * tile_size_y) * block_size_y * ceildiv(25000, block_size_x * tile_size_x) * block_size_x)) \
    stride(0) distinct(1536) total(1536) in readonly
#pragma tunepass access output: store(tile_size_x * tile_size_y) stride(if(tile_stride_x == 1, 1, tile_size_x), 25000) \
    distinct(block_size_x * block_size_y * tile_size_x * tile_size_y) total(2048 * 25000)

#pragma tunepass kernel dedispersion(input: in uchar[1536 * 25650], output: out float[2048 * 25000], shifts: in float[1536]) \
    grid(ceildiv(25000, block_size_x * tile_size_x), ceildiv(2048, block_size_y * tile_size_y)) \
    block(block_size_x, block_size_y) shared(0) accumulators(4)
__global__ void dedispersion(const unsigned char *input, float *output, const float *shifts)
{
    const int sample = blockIdx.x * blockDim.x + threadIdx.x, measure = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int channel = 0; channel < 1536; channel++)
        sum += input[channel * 25650 + sample + (unsigned)(0.02f * measure * shifts[channel])];
    output[measure * 25000 + sample] = sum;
}
