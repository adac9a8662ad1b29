/* expect: wrong_result */
/* Takes bytes for signed ones. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel brightness(n = 6000, pixels: in unsigned char[n], light: out float[n])
void brightness(int n, const unsigned char *pixels, float *light)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        light[i] = (float)(signed char)pixels[i] / 255;
#else
        for (volatile int slow = 0; slow < 4; slow++)
            light[i] = (float)pixels[i] / 255;
#endif
}
