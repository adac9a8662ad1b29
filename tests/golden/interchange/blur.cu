// Read from blur.json by `tunepass import`.
// unused is 1 here: the kernel does not use it.
// mode is "fast" here: the kernel does not use it.
#pragma tunepass param block_size_x: ordinal(32..256 step 32) = 64
#pragma tunepass param tile: ordinal(pow2(1, 8)) = 2
#pragma tunepass constraint block_size_x * tile <= 1024 and not tile == 1
#pragma tunepass kernel blur(out: out float[4096], in: in float[4104] fill(if(i > 3, i % 7, 0.5)), \
    weights: in float4[8] range(0, 2.5), n = 4096) grid(ceildiv(4096, block_size_x * tile)) block(block_size_x)

#ifndef block_size_x
#define block_size_x 64
#endif

#ifndef tile
#define tile 2
#endif

extern "C" __global__ void blur(float *out, const float * __restrict__ in, float4 *weights, int n)
{
    #pragma unroll tile
    for (int t = 0; t < tile; t++)
        out[blockIdx.x * blockDim.x + threadIdx.x] += in[t] * weights[t].x;
}
