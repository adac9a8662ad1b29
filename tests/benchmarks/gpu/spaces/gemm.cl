/* Matrix product of CLBlast (Xgemm), 4096 x 4096: the launch and the work of the published kernel, in pragmas of our own; the kernel
 * below is a plain one of the same geometry. A thread sums MWG / MDIMC by NWG / NDIMC elements. */

#pragma tunepass param MWG: ordinal(16, 32, 64, 128) = 16
#pragma tunepass param NWG: ordinal(16, 32, 64, 128) = 16
#pragma tunepass param MDIMC: ordinal(8, 16, 32) = 8
#pragma tunepass param NDIMC: ordinal(8, 16, 32) = 8
#pragma tunepass param MDIMA: ordinal(8, 16, 32) = 8
#pragma tunepass param NDIMB: ordinal(8, 16, 32) = 8
#pragma tunepass param VWM: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param VWN: ordinal(1, 2, 4, 8) = 1
#pragma tunepass param SA: ordinal(0, 1) = 0
#pragma tunepass param SB: ordinal(0, 1) = 0

#pragma tunepass constraint MWG % (MDIMC * VWM) == 0 and NWG % (NDIMC * VWN) == 0
#pragma tunepass constraint MWG % (MDIMA * VWM) == 0 and NWG % (NDIMB * VWN) == 0
#pragma tunepass constraint 32 % (MDIMC * NDIMC / MDIMA) == 0 and 32 % (MDIMC * NDIMC / NDIMB) == 0

enum { SETTING = MWG + NWG + MDIMC + NDIMC + MDIMA + NDIMB + VWM + VWN + SA + SB };

#pragma tunepass work flops(2 * 4096 * (MWG // MDIMC) * (NWG // NDIMC)) independent((MWG // MDIMC) * (NWG // NDIMC)) barriers((4096 // 32) * if(SA + SB > 0, 2, 0)) \
    integer(4096 * (1 + if(SA == 0, 2 * (MWG // MDIMC) // VWM, 0) + if(SB == 0, 2 * (NWG // NDIMC) // VWN, 0)) + \
            4096 * 6 * (SA * MWG // (VWM * MDIMC * NDIMC) + SB * NWG // (VWN * MDIMC * NDIMC)))
#pragma tunepass access a: load(if(SA == 1, 4096 * MWG // (MDIMC * NDIMC), 4096 * (MWG // MDIMC))) \
    stride(if(SA == 1, MWG // MDIMA, (MWG // MDIMC)), if(SA == 1, if(MDIMA > MDIMC, MDIMC * MWG // MDIMA, 4096), 0)) \
    vector(min(VWM, 4)) distinct(4096 * MWG) total(4096 * 4096) in readonly
#pragma tunepass access b: load(if(SB == 1, 4096 * NWG // (MDIMC * NDIMC), 4096 * (NWG // NDIMC))) \
    stride(if(SB == 1, NWG // NDIMB, 0), if(SB == 1, if(NDIMB > MDIMC, MDIMC * NWG // NDIMB, 4096), (NWG // NDIMC))) \
    vector(min(VWN, 4)) distinct(4096 * NWG) total(4096 * 4096) in readonly
#pragma tunepass access la: store(SA * 4096 * MWG // (MDIMC * NDIMC)) stride(MWG // MDIMA, if(MDIMA > MDIMC, MDIMC * MWG // MDIMA, MWG * 32 * MDIMA // (MDIMC * NDIMC))) vector(min(VWM, 4)) in shared bytes(4)
#pragma tunepass access lb: store(SB * 4096 * NWG // (MDIMC * NDIMC)) stride(NWG // NDIMB, if(NDIMB > MDIMC, MDIMC * NWG // NDIMB, NWG * 32 * NDIMB // (MDIMC * NDIMC))) vector(min(VWN, 4)) in shared bytes(4)
#pragma tunepass access la: load(SA * 4096 * (MWG // MDIMC)) stride((MWG // MDIMC), 0) vector(min(VWM, 4)) in shared bytes(4)
#pragma tunepass access lb: load(SB * 4096 * (NWG // NDIMC)) stride(0, (NWG // NDIMC)) vector(min(VWN, 4)) in shared bytes(4)
#pragma tunepass access c: store((MWG // MDIMC) * (NWG // NDIMC)) stride((MWG // MDIMC), 4096 * (NWG // NDIMC)) vector(min(VWM, 4)) \
    distinct(MWG * NWG) total(4096 * 4096)

#pragma tunepass kernel gemm(a: in float[4096 * 4096], b: in float[4096 * 4096], c: out float[4096 * 4096]) \
    grid(4096 // MWG, 4096 // NWG) block(MDIMC, NDIMC) shared(4 * 32 * (SA * MWG + SB * NWG)) \
    accumulators((MWG // MDIMC) * (NWG // NDIMC) + (MWG // MDIMC) + (NWG // NDIMC))
__kernel void gemm(__global const float *a, __global const float *b, __global float *c)
{
    const int m = get_global_id(0), n = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < 4096; k++)
        sum += a[k * 4096 + m] * b[k * 4096 + n];
    c[n * 4096 + m] = sum;
}
