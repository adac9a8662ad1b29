"""Expert schedules of the samples: what TACO's scheduling paper advises, for two cores, their sizes tuned as
`bench_taco --only experts` does it.

Rows go to threads in chunks, positions of the compressed level are split so that the inner loop has a constant extent,
and the loop over the dense operand's columns is the vector loop (Senanayake et al. 2020, section 7).
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.space.configuration import Value

ROWS: Mapping[str, Value] = {"omp_chunk": 4, "threads": 2, "omp": "dynamic"}

EXPERTS: Mapping[str, Mapping[str, Value]] = {
    "spmv": {
        "chunk": 64,
        "chunk2": 16,
        "chunk3": 2,
        "order": ("i0", "i10", "i11", "j1", "j0"),
        **ROWS,
        "omp_chunk": 64,
    },
    "spmm": {"chunk": 32, "unroll": 8, "order": ("i0", "i1", "jpos0", "jpos1", "k"), **ROWS, "omp_chunk": 32},
    "sddmm": {"chunk": 32, "unroll": 8, "order": ("i0", "i1", "jpos0", "k", "jpos1"), **ROWS},
    "ttv": {
        "chunk_i": 1024,
        "chunk_fpos": 256,
        "chunk_k": 1,
        "order": ("i0", "chunk", "fpos2", "kpos1", "kpos2"),
        **ROWS,
    },
    "mttkrp": {"chunk": 8, "unroll": 4, "order": ("i1", "i2", "k", "l", "m"), **ROWS},
}
