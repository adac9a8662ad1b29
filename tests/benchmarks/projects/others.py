"""Public projects in C: where a pragma goes, and how each is built."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

UNROLL = """\
#ifndef TP_UNROLL
#define TP_UNROLL 1
#endif
#define TP_PRAGMA(words) _Pragma(#words)
#define TP_UNROLLED(count) TP_PRAGMA(GCC unroll count)
"""
INLINED = """\
#ifndef TP_INLINED
#define TP_INLINED 0
#endif
#include "blake3_impl.h"
#undef INLINE
#if TP_INLINED == 0
#define INLINE static inline __attribute__((always_inline))
#elif TP_INLINED == 1
#define INLINE static __attribute__((noinline))
#else
#define INLINE static
#endif
"""
CHUNK = """\
#ifndef MAX_CHUNK_LEN
#define MAX_CHUNK_LEN 256
#endif
"""
DARKNET = "N = 4096, ALPHA = 0.5, X: in float[N*INCX], INCX = 1, Y: inout float[N*INCY], INCY = 1"
HIREDIS = "-Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-field-initializers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """`kernel` is the pragma's, whose function begins at the first line that matches `function`; before the lines after
    it that match `loops` the loop's copies are asked for. `dropped` is a line of the file that is left out. It is built
    by `make` with these words, or by `cmake` with those; `words` compile the file alone. `openmp`: it needs `omp.h`;
    `first_header`: it compiles with no header before its own.
    """

    name: str
    file: str
    kernel: str
    function: str
    loops: tuple[str, ...] = ()
    param: str = "TP_UNROLL: ordinal(1, 4, 8, 16) = 1"
    prelude: str = UNROLL
    dropped: str = ""
    make: tuple[str, ...] = ()
    clean: tuple[str, ...] = ("make", "clean")
    cmake: tuple[str, ...] = ()
    folder: str = "."
    words: tuple[str, ...] = ("-O2",)
    openmp: bool = False
    first_header: bool = False

    @property
    def macro(self) -> str:
        return self.param.partition(":")[0]

    def annotate(self, checkout: Path) -> Path:
        """Write pragmas and the macro into the file."""
        path = checkout / self.file
        lines, rest = [], list(self.loops)
        inside = False
        for line in path.read_text(errors="surrogateescape").splitlines():
            if not inside and re.match(self.function, line):
                inside = True
                lines.append(f"#pragma tunepass kernel {self.kernel}")
            if inside and rest and re.search(rest[0], line):
                rest.pop(0)
                lines.append("TP_UNROLLED(TP_UNROLL)")
            if not self.dropped or not re.match(self.dropped, line):
                lines.append(line)
        if not inside or rest:
            raise ValueError(f"{path}: no line is like {rest[0] if inside else self.function}")
        text = f"#pragma tunepass param {self.param}\n{self.prelude}" + "\n".join(lines) + "\n"
        path.write_text(text, errors="surrogateescape")
        return path


PROJECTS = (
    Project(
        name="zopfli",
        file="src/zopfli/tree.c",
        kernel="ZopfliCalculateEntropy(count: in size_t[n] range(0, 500), n = 288, bitlengths: out double[n])",
        function=r"void ZopfliCalculateEntropy\(",
        loops=(r"^  for \(", r"^  for \("),
        make=("libzopfli.a", "zopfli"),
        words=("-O3", "-lm"),
    ),
    Project(
        name="darknet",
        file="src/blas.c",
        kernel=f"axpy_cpu({DARKNET}) tolerance(1e-5) sizes(N = 1001, INCX = 1, INCY = 1)",
        function=r"void axpy_cpu\(",
        loops=(r"^ +for\(",),
        make=("obj", "libdarknet.a"),
        words=("-O3", "-I../include", "-lm"),
    ),
    Project(
        name="lua",
        file="lstring.c",
        kernel="luaS_hash(str: in char[l], l = 40, seed = 12345)",
        function=r"static unsigned luaS_hash \(",
        loops=(r"^ +for \(",),
        make=("liblua.a", "MYCFLAGS=-std=gnu99", "CFLAGS=-O2 -Wall -DLUA_USE_LINUX -Wno-unknown-pragmas"),
    ),
    Project(
        name="hiredis",
        file="sds.c",
        kernel="sdsll2str(s: inout char[22], value = 123456789012345) sizes()",
        function=r"int sdsll2str\(",
        loops=(r"^ +while\(s < p\)",),
        make=("static", "DEBUG_FLAGS=", f"WARNINGS={HIREDIS}"),
        words=("-O3", "-std=c99"),
        first_header=True,
    ),
    Project(
        name="kmeans",
        file="openmp/kmeans/kmeans_openmp/kmeans_clustering.c",
        kernel="find_nearest_point(pt: in float[nfeatures], nfeatures = 34, pts: in float[npts][nfeatures],"
        " npts = 1000) tolerance(1e-5)",
        function=r"int find_nearest_point\(",
        loops=(r"^ +for \(i=0; i<numdims",),
        make=("-C", "openmp/kmeans/kmeans_openmp", "CC_FLAGS=-fopenmp -O2"),
        clean=("make", "-C", "openmp/kmeans/kmeans_openmp", "clean"),
        words=("-O2", "-fopenmp"),
        openmp=True,
    ),
    Project(
        name="llama2.c",
        file="run.c",
        kernel="matmul(xout: out float[d], x: in float[n], w: in float[n*d], n = 288, d = 288) tolerance(1e-4)",
        function=r"void matmul\(",
        loops=(r"^ +for \(int j",),
        make=("run",),
        clean=("rm", "-f", "run", "runq"),
        words=("-O3", "-lm"),
    ),
    Project(
        name="brotli",
        file="c/enc/bit_cost.c",
        kernel="BrotliBitsEntropy(population: in uint32_t[size] range(0, 250), size = 704) tolerance(1e-9)",
        function=r"double BrotliBitsEntropy\(",
        loops=(r"^  while \(population < population_end\)",),
        cmake=("-DBUILD_SHARED_LIBS=OFF",),
        words=("-O2", "-I../include", "fast_log.c", "-lm"),
    ),
    Project(
        name="libdeflate",
        file="lib/adler32.c",
        kernel="libdeflate_adler32(adler = 1, buffer: in uint8_t[len], len = 65536)",
        function=r"LIBDEFLATEAPI u32$",
        param="MAX_CHUNK_LEN: ordinal(256, 1024, 2048, 5552) = 256",
        prelude=CHUNK,
        dropped=r"#define MAX_CHUNK_LEN\t5552",
        cmake=("-DLIBDEFLATE_BUILD_SHARED_LIB=OFF",),
        words=("-O2", "-I..", "utils.c", "x86/cpu_features.c"),
    ),
    Project(
        name="BLAKE3",
        file="c/blake3_portable.c",
        kernel="blake3_compress_in_place_portable(cv: inout uint32_t[8], block: in uint8_t[64], block_len = 64,"
        " counter = 7, flags = 3) sizes()",
        function=r"void blake3_compress_in_place_portable\(",
        param="TP_INLINED: ordinal(0, 1, 2) = 0",
        prelude=INLINED,
        cmake=("-DBLAKE3_SIMD_TYPE=none",),
        folder="c",
        words=("-O3",),
    ),
)
