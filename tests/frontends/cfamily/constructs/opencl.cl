#ifndef SIZE
#define SIZE 8
#endif
typedef struct { float4 position; uint tag; } body_t;
__constant float table[2] = {1.0f, 2.0f};
inline float sum(float4 v) { return v.x + v.s1 + v.hi.x; }
__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void scale(__global const float *restrict x, global float *y, __local float *scratch, const uint n, body_t b)
{
    __local float tile[SIZE * 2];
    size_t i = get_global_id(0);
    float4 v = (float4)(x[i], 0.0f, 0.0f, 1.0f), w = vload4(0, x);
    tile[get_local_id(0)] = (uint) -1 + convert_float(n) * b.position.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    __attribute__((opencl_unroll_hint(4)))
    for (int k = 0; k < SIZE; k++)
        y[i] = mad(tile[k], sum(v), as_float(n) + table[1]);
    event_t e = async_work_group_copy(tile, x, SIZE, 0);
}
kernel void images(read_only image2d_t in, sampler_t s, write_only image2d_t out) { int2 at = {0, 1}; write_imagef(out, at, read_imagef(in, s, at)); }
