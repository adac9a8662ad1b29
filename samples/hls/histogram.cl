/* The histogram of bytes as a task of Intel's OpenCL compiler: COPIES of the counters, so that a byte does not wait for the
 * one before it.
 *
 *     tunepass space samples/hls/histogram.cl
 *     tunepass estimate samples/hls/histogram.cl --device stratix-v
 */
#define BYTES 1048576
#pragma tunepass param COPIES: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass param UNROLL: ordinal(1, 2, 4) = 1
#pragma tunepass hls histogram

#define COPIES 1
#define UNROLL 1

__attribute__((task))
__kernel void histogram(__global const unsigned char *restrict bytes, __global unsigned *restrict counts)
{
    unsigned counted[COPIES][256];
    for (int bin = 0; bin < 256; bin++) {
        #pragma unroll
        for (int c = 0; c < COPIES; c++)
            counted[c][bin] = 0;
    }
    #pragma unroll UNROLL
    for (int i = 0; i < BYTES / COPIES; i++) {
        #pragma unroll
        for (int c = 0; c < COPIES; c++)
            counted[c][bytes[i * COPIES + c]] += 1;
    }
    for (int bin = 0; bin < 256; bin++) {
        unsigned sum = 0;
        #pragma unroll
        for (int c = 0; c < COPIES; c++)
            sum += counted[c][bin];
        counts[bin] = sum;
    }
}
