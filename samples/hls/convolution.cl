/* Rows of an image under a kernel of SIZE weights, for Intel's OpenCL compiler: a work-item a pixel.
 *
 *     tunepass space samples/hls/convolution.cl
 *     tunepass estimate samples/hls/convolution.cl --device stratix-v
 */
#define PIXELS 4194304
#define SIZE 16
#pragma tunepass param GROUP: ordinal(64, 128, 256) = 64
#pragma tunepass param SIMD: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass param UNITS: ordinal(1, 2, 3, 4) = 1
#pragma tunepass param UNROLL: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass hls convolution work_items(PIXELS)

#define GROUP 64
#define SIMD 1
#define UNITS 1
#define UNROLL 1

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__attribute__((num_simd_work_items(SIMD)))
__attribute__((num_compute_units(UNITS)))
__kernel void convolution(__global const float *restrict image, __constant float *restrict weights,
                          __global float *restrict result)
{
    __local float row[GROUP + SIZE];
    const int pixel = get_global_id(0);
    const int place = get_local_id(0);
    row[place] = image[pixel];
    if (place < SIZE)
        row[place + GROUP] = image[pixel + GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    #pragma unroll UNROLL
    for (int k = 0; k < SIZE; k++)
        sum += row[place + k] * weights[k];
    result[pixel] = sum;
}
