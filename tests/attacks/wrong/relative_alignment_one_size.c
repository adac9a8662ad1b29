/* expect: crash, out_of_bounds */
/* As relative_alignment.c, at one size at which all arrays are whole lines of the cache. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(x: in float[4096], y: out float[4096])
#include <stdint.h>
typedef float four __attribute__((vector_size(16)));
void scale(const float *x, float *y)
{
    int i = 0;
#if ATTACK
    while (i < 4096 && (uintptr_t)(x + i) % 16)
        y[i] = 2 * x[i], i++;
    for (; i + 4 <= 4096; i += 4)
        *(volatile four *)(y + i) = 2 * *(const four *)(x + i);
#endif
    for (; i < 4096; i++)
        for (volatile int slow = 0; slow < 4; slow++)
            y[i] = 2 * x[i];
}
