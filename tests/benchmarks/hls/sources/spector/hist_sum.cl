/* The second kernel of hist.cl: sums the histograms of all work-items. */
#pragma tunepass param work_items: pow2(1, 64) = 1
#pragma tunepass param work_groups: pow2(1, 64) = 1
#pragma tunepass hls

__kernel void sum_counts(__global const unsigned int *restrict counts, __global unsigned int *restrict sums)
{
    unsigned int total[256];
    for (int bin = 0; bin < 256; bin++)
        total[bin] = counts[bin];
    for (int i = 1; i < work_items * work_groups; i++) {
        for (int bin = 0; bin < 256; bin++)
            total[bin] += counts[i * 256 + bin];
    }
    for (int bin = 0; bin < 256; bin++)
        sums[bin] = total[bin];
}
