/* Transforms a signal to and fro at three lengths; prints how far what comes back is from it, and sums of magnitudes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kiss_fft.h"

#ifdef SMALL
enum { ROUNDS = 1 };
#else
enum { ROUNDS = 150 };
#endif

int main(void)
{
    static const int lengths[] = {1024, 1800, 2401};
    static kiss_fft_cpx signal[2401], changed[2401], back[2401];
    for (int place = 0; place < 3; place++) {
        int n = lengths[place];
        kiss_fft_cfg there = kiss_fft_alloc(n, 0, NULL, NULL), here = kiss_fft_alloc(n, 1, NULL, NULL);
        double sum = 0, worst = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < n; i++) {
                signal[i].r = (float)((i * 37 + round * 11) % 101) / 50 - 1;
                signal[i].i = (float)((i * 53 + round * 7) % 89) / 44 - 1;
            }
            kiss_fft(there, signal, changed);
            kiss_fft(here, changed, back);
            for (int i = 0; i < n; i++) {
                sum += fabs(changed[i].r) + fabs(changed[i].i);
                worst = fmax(worst, fabs(back[i].r / n - signal[i].r) + fabs(back[i].i / n - signal[i].i));
            }
        }
        printf("%d: %.3e %s\n", n, sum, worst < 1e-4 ? "equal" : "differs");
        kiss_fft_free(there);
        kiss_fft_free(here);
    }
    return 0;
}
