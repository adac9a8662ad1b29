/* Direct Coulomb summation on a grid of 256^3 points, 64 atoms (KTT, CoulombSum3d): the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. Sums that a
 * loop which is not unrolled indexes live in local memory. */

#pragma tunepass param WORK_GROUP_SIZE_X: ordinal(16, 32) = 16
#pragma tunepass param WORK_GROUP_SIZE_Y: ordinal(2, 4, 8) = 4
#pragma tunepass param INNER_UNROLL_FACTOR: ordinal(0, 1, 2, 4, 8, 16) = 0
#pragma tunepass param Z_ITERATIONS: ordinal(1, 2, 4, 8, 16, 32) = 1
#pragma tunepass param USE_SOA: ordinal(0, 1) = 0

#pragma tunepass constraint INNER_UNROLL_FACTOR < Z_ITERATIONS
#pragma tunepass constraint WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64

enum { SETTING = WORK_GROUP_SIZE_X + WORK_GROUP_SIZE_Y + INNER_UNROLL_FACTOR + Z_ITERATIONS + USE_SOA };

#pragma tunepass work flops(64 * (2 * 5 + 2 * 3 * Z_ITERATIONS)) special(64 * Z_ITERATIONS) \
    integer(64 * (if(USE_SOA == 1, 4, 2) + if(INNER_UNROLL_FACTOR > 0, Z_ITERATIONS * (1 + 4 / INNER_UNROLL_FACTOR), 0))) \
    independent(Z_ITERATIONS)
#pragma tunepass access atoms: load(if(USE_SOA == 0, 64, 0)) stride(0) distinct(64) total(64) in readonly
#pragma tunepass access columns: load(if(USE_SOA == 1, 64 * 4, 0)) stride(0) distinct(256) total(256) in readonly
#pragma tunepass access sums: load(if(INNER_UNROLL_FACTOR > 0, 64 * Z_ITERATIONS, 0)) stride(1) in global bytes(4) \
    distinct(WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y * Z_ITERATIONS)
#pragma tunepass access sums: store(if(INNER_UNROLL_FACTOR > 0, 64 * Z_ITERATIONS, 0)) stride(1) in global bytes(4) \
    distinct(WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y * Z_ITERATIONS)
#pragma tunepass access energy: load(Z_ITERATIONS) stride(1, 256) total(256 * 256 * 256)
#pragma tunepass access energy: store(Z_ITERATIONS) stride(1, 256) total(256 * 256 * 256)

#pragma tunepass kernel coulomb(atoms: in float4[64], columns: in float[256], energy: inout float[256 * 256 * 256]) \
    grid(256 // WORK_GROUP_SIZE_X, 256 // WORK_GROUP_SIZE_Y, 256 // Z_ITERATIONS) \
    block(WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y) shared(0) accumulators(Z_ITERATIONS)
__global__ void coulomb(const float4 *atoms, const float *columns, float *energy)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    float sum = 0.0f;
    for (int i = 0; i < 64; i++) {
        const float dx = 0.5f * x - atoms[i].x, dy = 0.5f * y - atoms[i].y, dz = 0.5f * z - atoms[i].z;
        sum += atoms[i].w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    energy[(z * 256 + y) * 256 + x] += sum;
}
