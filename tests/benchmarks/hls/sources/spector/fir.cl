/* A bank of complex FIR filters over one stream of samples: a shifting window, the coefficients shifted in while the
 * zeros between two filters pass. Each work-item takes a stretch of the stream. */
#pragma tunepass param coef_shift: ordinal(1, 8, 32) = 1
#pragma tunepass param num_parallel: integer(1..8) = 1
#pragma tunepass param unroll_inner: pow2(1, 32) = 1
#pragma tunepass param unroll_outer: ordinal(1, 2) = 1
#pragma tunepass param work_items: ordinal(1, 2, 4, 16, 32, 64) = 1
#pragma tunepass param work_groups: ordinal(1, 2, 4, 16, 32, 64) = 1
#pragma tunepass param simd: ordinal(1, 2) = 1
#pragma tunepass param compute_units: ordinal(1, 2) = 1
#pragma tunepass hls work_items(work_items * work_groups)

#define TAPS 32
#define FILTERS 64
#define POINTS 4096
#define ITEMS (work_items * work_groups)

__attribute__((reqd_work_group_size(work_items, 1, 1)))
__attribute__((num_simd_work_items(simd)))
__attribute__((num_compute_units(compute_units)))
__kernel void fir(__global const float *restrict samples, __global const float *restrict taps,
                  __global float *restrict filtered)
{
    const int item = get_global_id(0);
    const int share = (POINTS + TAPS - 1 + num_parallel * (TAPS / coef_shift)) * (FILTERS / ITEMS);
    float real[TAPS + num_parallel - 1];
    float imag[TAPS + num_parallel - 1];
    float tap_real[TAPS];
    float tap_imag[TAPS];
    unsigned char loading = 1;
    unsigned char shifted = 0;
    unsigned short since = 0;
    unsigned short next_tap = item * TAPS * (FILTERS / ITEMS);

    #pragma unroll
    for (int t = 0; t < TAPS + num_parallel - 1; t++) {
        real[t] = 0.0f;
        imag[t] = 0.0f;
    }

    #pragma unroll unroll_outer
    for (int step = 0; step < share / num_parallel; step++) {
        float sum_real[num_parallel];
        float sum_imag[num_parallel];
        #pragma unroll
        for (int lane = 0; lane < num_parallel; lane++) {
            sum_real[lane] = 0.0f;
            sum_imag[lane] = 0.0f;
        }
        #pragma unroll
        for (int t = 0; t < TAPS - 1; t++) {
            real[t] = real[t + num_parallel];
            imag[t] = imag[t + num_parallel];
        }
        #pragma unroll
        for (int lane = 0; lane < num_parallel; lane++) {
            real[TAPS - 1 + lane] = samples[2 * (item * share + step * num_parallel + lane)];
            imag[TAPS - 1 + lane] = samples[2 * (item * share + step * num_parallel + lane) + 1];
        }
        if (loading) {
            #pragma unroll
            for (int t = 0; t < TAPS - coef_shift; t++) {
                tap_real[t] = tap_real[t + coef_shift];
                tap_imag[t] = tap_imag[t + coef_shift];
            }
            #pragma unroll
            for (int t = 0; t < coef_shift; t++) {
                tap_real[TAPS - coef_shift + t] = taps[2 * (next_tap + t)];
                tap_imag[TAPS - coef_shift + t] = taps[2 * (next_tap + t) + 1];
            }
            next_tap += coef_shift;
            shifted += 1;
            if (shifted == TAPS / coef_shift) {
                loading = 0;
                shifted = 0;
            }
        }
        #pragma unroll unroll_inner
        for (int t = 0; t < TAPS; t++) {
            #pragma unroll
            for (int lane = 0; lane < num_parallel; lane++) {
                sum_real[lane] += real[TAPS - 1 - t + lane] * tap_real[t] - imag[TAPS - 1 - t + lane] * tap_imag[t];
                sum_imag[lane] += real[TAPS - 1 - t + lane] * tap_imag[t] + imag[TAPS - 1 - t + lane] * tap_real[t];
            }
        }
        #pragma unroll
        for (int lane = 0; lane < num_parallel; lane++) {
            filtered[2 * (item * share + step * num_parallel + lane)] = sum_real[lane];
            filtered[2 * (item * share + step * num_parallel + lane) + 1] = sum_imag[lane];
        }
        since += num_parallel;
        if (since == POINTS + TAPS - 1 + num_parallel * (TAPS / coef_shift)) {
            since = 0;
            loading = 1;
        }
    }
}
