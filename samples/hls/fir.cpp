/* A filter of TAPS taps over a signal, for Vitis HLS: TAPS / FOLD multipliers, which each serve FOLD taps.
 *
 *     tunepass space samples/hls/fir.cpp
 *     tunepass estimate samples/hls/fir.cpp --device zcu102
 */
#define SAMPLES 4096
#define TAPS 32
#pragma tunepass param PARALLEL: ordinal(1, 2, 4, 8, 16, 32) = 8
#pragma tunepass param BANKS: ordinal(1, 2, 4, 8, 16, 32) = 8
#pragma tunepass hls fir

#define PARALLEL 8
#define BANKS 8

void fir(const short signal[SAMPLES], const short taps[TAPS], int filtered[SAMPLES])
{
#pragma HLS interface m_axi port=signal bundle=memory
#pragma HLS interface m_axi port=filtered bundle=memory
    short window[TAPS];
    short weight[TAPS];
#pragma HLS array_partition variable=window cyclic factor=BANKS dim=1
#pragma HLS array_partition variable=weight cyclic factor=BANKS dim=1

    for (int t = 0; t < TAPS; t++) {
#pragma HLS pipeline II=1
        weight[t] = taps[t];
        window[t] = 0;
    }
    for (int i = 0; i < SAMPLES; i++) {
        int sum = 0;
        window[i % TAPS] = signal[i];
        for (int t = 0; t < TAPS; t++) {
#pragma HLS pipeline II=1
#pragma HLS unroll factor=PARALLEL
            sum += window[(i + TAPS - t) % TAPS] * weight[t];
        }
        filtered[i] = sum;
    }
}
