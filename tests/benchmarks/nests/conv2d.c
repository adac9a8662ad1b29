/* A convolution with a 5 by 5 filter, four loops deep. */
#pragma tunepass param ORDER: permutation(y, x, r, s)
#pragma tunepass param TY: ordinal(1, pow2(4, 128)) = 1 log
#pragma tunepass param TX: ordinal(1, pow2(16, 256)) = 1 log
#pragma tunepass param UY: ordinal(1, 2, 4) = 1 log
#pragma tunepass param US: ordinal(1, 5) = 1
#pragma tunepass param SIMD: categorical(false, true) = false
#pragma tunepass constraint not SIMD or ORDER[3] == "x"
#pragma tunepass kernel conv2d(h = 330, w = 360, K: in float[25], X: in float[(h + 4)*(w + 4)], Y: inout float[h*w]) \
    tolerance(1e-4)
void conv2d(int h, int w, const float *restrict K, const float *restrict X, float *restrict Y)
{
#pragma tunepass loop(y, x, r, s) tile(y: TY, x: TX) order(ORDER) unroll_and_jam(y: UY) unroll(s: US) vectorize(x: SIMD)
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int r = 0; r < 5; r++)
                for (int s = 0; s < 5; s++)
                    Y[y * w + x] += K[r * 5 + s] * X[(y + r) * (w + 4) + x + s];
}
