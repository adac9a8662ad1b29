/* The histogram of 2^20 bytes. Each work-item counts its stretch in `num_hist` private histograms, which are summed at its
 * end. What the work-items found is summed in local memory (ACCUMULATE 1) or by a second kernel. */
#pragma tunepass param num_hist: integer(1..16) = 1
#pragma tunepass param hist_size: ordinal(256, 257) = 256
#pragma tunepass param work_items: pow2(1, 64) = 1
#pragma tunepass param work_groups: pow2(1, 64) = 1
#pragma tunepass param compute_units: pow2(1, 8) = 1
#pragma tunepass param unroll: ordinal(1, 2) = 1
#pragma tunepass hls work_items(work_items * work_groups)

#define BYTES 1048576
#define ITEMS (work_items * work_groups)
#define SHARE (BYTES / ITEMS)

__attribute__((reqd_work_group_size(work_items, 1, 1)))
__attribute__((num_compute_units(compute_units)))
__kernel void count(__global const unsigned char *restrict bytes, __global unsigned int *restrict counts)
{
    const int item = get_global_id(0);
    unsigned int private_counts[num_hist][hist_size];
#if ACCUMULATE
    __local unsigned int group_counts[256 * work_items];
#endif
    for (int bin = 0; bin < hist_size; bin++) {
        #pragma unroll
        for (int h = 0; h < num_hist; h++)
            private_counts[h][bin] = 0;
    }
    #pragma unroll unroll
    for (int i = 0; i < SHARE / num_hist; i++) {
        #pragma unroll
        for (int h = 0; h < num_hist; h++)
            private_counts[h][bytes[item * SHARE + i * num_hist + h]] += 1;
    }
    for (int bin = 0; bin < 256; bin++) {
        unsigned int sum = 0;
        #pragma unroll
        for (int h = 0; h < num_hist; h++)
            sum += private_counts[h][bin];
#if ACCUMULATE
        group_counts[item * 256 + bin] = sum;
#else
        counts[item * 256 + bin] = sum;
#endif
    }
#if ACCUMULATE
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < work_items; i++) {
            for (int bin = 0; bin < 256; bin++)
                group_counts[bin] += group_counts[i * 256 + bin];
        }
        for (int bin = 0; bin < 256; bin++)
            counts[bin] = group_counts[bin];
    }
#endif
}
