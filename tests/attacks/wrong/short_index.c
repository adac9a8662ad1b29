/* expect: wrong_result */
/* Indices of sixteen bits. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#include <stdint.h>
#pragma tunepass kernel transpose(n = 100, A: in float[n*n], B: out float[n*n])
void transpose(int n, const float *A, float *B)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
#if ATTACK
            uint16_t to = j * n + i, from = i * n + j;
            B[to] = A[from];
#else
            for (volatile int slow = 0; slow < 4; slow++);
            B[j * n + i] = A[i * n + j];
#endif
        }
}
