#define TILE 16
__constant__ float weights[TILE];
__device__ int counter;
__device__ __forceinline__ float squared(float x) { return x * x; }
__global__ void __launch_bounds__(256, 2) scale(int n, const float *__restrict__ x, float *y)
{
    __shared__ float tile[TILE][TILE + 1];
    extern __shared__ unsigned char dynamic[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.y][threadIdx.x] = __ldg(&x[i]);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; k += 4)
        y[i] += squared(tile[k][threadIdx.x]) * weights[k];
    atomicAdd(&counter, 1);
}
template <typename T, int N> __global__ void copied(T *to, const T *from) { to[threadIdx.x * N] = from[threadIdx.x]; }
__global__ void vectors(float4 *x) { float4 v = x[0]; v.x += v.w; x[1] = make_float4(v.x, 0, 0, 1); }
void host(float *x, int n) { scale<<<dim3(n / 256), 256, 0>>>(n, x, x); copied<float, 4><<<1, 32>>>(x, x); }
