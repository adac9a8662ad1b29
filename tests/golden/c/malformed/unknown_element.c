#pragma tunepass param N: integer(1..4) = 1
#pragma tunepass kernel fill(out: out uint8[4 * count], count = 16)
#ifndef N
#define N 1
#endif
typedef unsigned char byte;
void fill(byte *out, int count)
{
    for (int i = 0; i < 4 * count; i++)
        out[i] = (byte)(i * N / N);
}
