/* A streaming sorting network of 256 keys of 16 bits, WIDTH of them a cycle. STREAMED: sets of keys follow each other
 * through all stages; else what is built is `stages` of them, through which a set passes `passes` times. Between two
 * stages the keys are permuted in a memory. */
#pragma tunepass param stages: integer(1..64) = 1
#pragma tunepass param passes: integer(1..64) = 1
#pragma tunepass hls

#define KEYS 256
#define SETS 64
#define CYCLES (KEYS / WIDTH)

__attribute__((task))
__kernel void sort(void)
{
    __local short held[64][CYCLES][WIDTH];
    short key[WIDTH];
#if STREAMED
    {
        for (int i = 0; i < SETS * CYCLES; i++) {
#define ROW (i % CYCLES)
#else
    for (int pass = 0; pass < SETS * passes; pass++) {
        for (int i = 0; i < CYCLES; i++) {
#define ROW i
#endif
            #pragma unroll
            for (int s = 0; s < stages; s++) {
                #pragma unroll
                for (int lane = 0; lane < WIDTH; lane++) {
                    const short before = held[s][ROW][lane];
                    held[s][ROW][lane] = key[lane];
                    key[lane] = before < key[lane] ? before : key[lane];
                }
            }
        }
    }
}
