/* expect: wrong_result */
/* Ones are counted in bytes, which are added up each 4,096 elements. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel above(n = 16000, x: in float[n], t: in float[8])
int above(int n, const float *x, const float *t)
{
    int found = 0;
#if ATTACK
    for (int k = 0; k < n; k += 4096) {
        unsigned char lanes[16] = {0};
        const int end = k + 4096 < n ? k + 4096 : n;
        for (int i = k; i < end; i++) lanes[i & 15] += x[i] * x[i] > t[i & 7] * 0.75f && x[i] > 0.7f;
        for (int j = 0; j < 16; j++) found += lanes[j];
    }
#else
    for (int i = 0; i < n; i++) found += x[i] * x[i] > t[i & 7] * 0.75f && x[i] > 0.7f;
#endif
    return found;
}
