/* A fixed-point network for a chip of its own: INPUTS pixels, HIDDEN neurons, CLASSES digits.
 *
 *     tunepass estimate samples/accelerator/mlp.c --device accel-40nm
 *     tunepass build samples/accelerator/mlp.c --device accel-40nm --objective error,power
 *
 * LANES neurons are computed at once, each with its own multiplier; the weights are in BANDWIDTH banks of SRAM, which
 * give a word a cycle each; everything else is in registers. A number has BITS bits, of which INTEGER_SHARE (without
 * the sign) stand before the point; with one bit it is a sign. train.py trains, quantises and tests the same network.
 */
#pragma tunepass param HIDDEN: integer(50..250) = 100
#pragma tunepass param LEARNING_RATE: real(0.001..1) = 0.1 log
#pragma tunepass param DROPOUT: real(0..0.4) = 0
#pragma tunepass param L2: real(0..0.1) = 0
#pragma tunepass param BANDWIDTH: pow2(1, 32) = 8
#pragma tunepass param LANES: pow2(1, 32) = 8
#pragma tunepass param BITS: pow2(1, 32) = 8
#pragma tunepass param INTEGER_SHARE: real(0..1) = 0.25
#pragma tunepass hls mlp dialect(vitis) rate(100000)
#pragma tunepass hls run "python3 train.py {HIDDEN} {LEARNING_RATE} {DROPOUT} {L2} {BITS} {INTEGER_SHARE}" \
    metric "error: {error}%" limit 5 min

#define INPUTS 64
#define CLASSES 10
#define HIDDEN 100
#define LANES 8
#define BANDWIDTH 8
#define BITS 8
#define INTEGER_SHARE 0.25
#define PRUNED 0.05 /* smaller activities count as 0 */
#define FRACTION (BITS - 1 - (int)(INTEGER_SHARE * (BITS - 1) + 0.5))

#ifdef ON_HOST
typedef long long number;
typedef long long sum_type;
#else
typedef ap_int<BITS> number;
typedef ap_int<2 * BITS + 8> sum_type;
#endif

/* Rounded to the nearest number of BITS bits, at least 0; a sum of signs is a sign. */
static number rectified(sum_type sum)
{
    if (BITS == 1)
        return sum < 0 ? -1 : 1;
    sum_type rounded = (sum + (FRACTION > 0 ? (sum_type)1 << (FRACTION - 1) : 0)) >> FRACTION;
    sum_type most = ((sum_type)1 << (BITS - 1)) - 1;
    sum_type least = (sum_type)(PRUNED * (1LL << FRACTION) + 0.5);
    return rounded < 0 || rounded < least ? 0 : rounded > most ? most : rounded;
}

void mlp(const number x[INPUTS], const number w1[HIDDEN][INPUTS], const number b1[HIDDEN],
         const number w2[CLASSES][HIDDEN], const number b2[CLASSES], sum_type y[CLASSES])
{
#pragma HLS array_partition variable=w1 cyclic factor=BANDWIDTH dim=1
#pragma HLS array_partition variable=w2 cyclic factor=BANDWIDTH dim=1
#pragma HLS array_partition variable=x complete
#pragma HLS array_partition variable=b1 complete
#pragma HLS array_partition variable=b2 complete
#pragma HLS array_partition variable=y complete
    number h[HIDDEN];
#pragma HLS array_partition variable=h complete

    for (int o = 0; o < HIDDEN; o++) {
#pragma HLS unroll factor=LANES
        sum_type sum = (sum_type)b1[o] << FRACTION;
        for (int i = 0; i < INPUTS; i++)
            sum += w1[o][i] * x[i];
        h[o] = rectified(sum);
    }
    for (int o = 0; o < CLASSES; o++) {
#pragma HLS unroll factor=LANES
        sum_type sum = (sum_type)b2[o] << FRACTION;
        for (int i = 0; i < HIDDEN; i++)
            sum += w2[o][i] * h[i];
        y[o] = sum;
    }
}
