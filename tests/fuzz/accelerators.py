"""CUDA and OpenCL kernels and sources for synthesis: samples and kernels of a small grammar, changed more or less."""

from __future__ import annotations

import random

from tests.fuzz import seeds
from tests.fuzz.gentle import varied
from tests.fuzz.mutation import mutated

SMALL = 6_000  # characters; longer samples are drawn rarely
BLOCKS = ("32, 64, 128", "pow2(32, 256)", "64", "32..256 step 32")


def cuda_case(rng: random.Random) -> str:
    return _kernel_case(rng, "cu")


def opencl_case(rng: random.Random) -> str:
    return _kernel_case(rng, "cl")


def hls_case(rng: random.Random) -> str:
    chosen = rng.random()
    if chosen < 0.65:
        return varied(rng, _synthesised(rng), "//", seeds.sources("hls"), wrong=0.25)
    if chosen < 0.85:
        return varied(rng, _sample(rng, "hls"), "//", seeds.sources("hls"), wrong=0.25)
    return mutated(rng, rng.choice(seeds.sources("hls")), seeds.sources("hls"))


def _kernel_case(rng: random.Random, kind: str) -> str:
    texts, chosen = seeds.sources(kind), rng.random()
    if chosen < 0.75:
        return varied(rng, _kernel(rng, cuda=kind == "cu"), "//", texts, wrong=0.25)
    if chosen < 0.85:
        return varied(rng, _sample(rng, kind), "//", texts, wrong=0.25)
    return mutated(rng, rng.choice(texts), texts)


def _sample(rng: random.Random, kind: str) -> str:
    samples = seeds.samples(kind)
    return rng.choice([text for text in samples if len(text) < SMALL] or samples)


# -- a kernel of one grid


def _kernel(rng: random.Random, *, cuda: bool) -> str:
    element = rng.choice(("float", "double", "int", "unsigned int"))
    shared, unrolled, guarded = (rng.random() < 0.4 for _ in range(3))
    lines = [
        f"#pragma tunepass param BX: ordinal({rng.choice(BLOCKS)}) = 64",
        f"#pragma tunepass param PER: integer(1..{rng.choice((1, 2, 4, 8))}) = 1",
    ]
    if with_mode := rng.random() < 0.3:
        lines.append(
            '#pragma tunepass param MODE: categorical("FAST", "EXACT") = "FAST"\n#define FAST 0\n#define EXACT 1'
        )
    if rng.random() < 0.5:
        lines.append(f"#pragma tunepass constraint {rng.choice(('BX * PER <= n', 'BX >= 32', 'PER == 1 or BX < 512'))}")
    launch = "grid(ceildiv(n, BX * PER)) block(BX)" + (" shared(8 * BX)" if rng.random() < 0.2 else "")
    options = rng.choice(("", "", " tolerance(1e-5)", " sizes(n = 512, 2048)"))
    length = rng.choice((512, 1024, 4096))
    given = f"n = {length}, x: in {element}[n], y: {rng.choice(('out', 'inout'))} {element}[n]"
    lines.append(f"#pragma tunepass kernel f({given}) {launch}{options}")
    if rng.random() < 0.5:
        lines += ["#ifndef BX", "#define BX 64", "#endif"]
    return "\n".join([*lines, *_function(rng, element, shared, unrolled, guarded, with_mode, cuda=cuda)]) + "\n"


def _function(
    rng: random.Random, element: str, shared: bool, unrolled: bool, guarded: bool, with_mode: bool, *, cuda: bool
) -> list[str]:
    thread, block = ("threadIdx.x", "blockIdx.x") if cuda else ("get_local_id(0)", "get_group_id(0)")
    space, head = ("", 'extern "C" __global__') if cuda else ("__global ", "__kernel")
    barrier = "__syncthreads();" if cuda else "barrier(CLK_LOCAL_MEM_FENCE);"
    work = rng.choice(("x[i] * 2", "x[i] + i", "x[n - 1 - i] * x[i]", "x[i] > 0 ? x[i] : -x[i]"))
    body = [f"{head} void f(int n, {space}const {element} *x, {space}{element} *y)", "{"]
    if shared:
        body.append(f"    {'__shared__' if cuda else '__local'} {element} tile[BX];")
    body += ["#if MODE == FAST", "    n = n;", "#endif"] if with_mode else []
    body += ["#pragma unroll"] if unrolled else []
    body += ["    for (int k = 0; k < PER; k++) {", f"        int i = ({block} * PER + k) * BX + {thread};"]
    if shared:
        body += [f"        if (i < n) tile[{thread}] = x[i];", f"        {barrier}"]
        work = f"tile[{thread}]"
    body += ["        if (i >= n)", "            continue;"] if guarded and not shared else []
    target = "if (i < n) y[i]" if shared or not guarded else "y[i]"
    body += [f"        {target} = {work};", "    }", "}"]
    return body


# -- a nest for synthesis


def _synthesised(rng: random.Random) -> str:
    merlin = rng.random() < 0.5
    rows, columns = rng.choice((16, 60, 128)), rng.choice((8, 40, 64))
    element = rng.choice(("double", "float", "int", "short"))
    setting = (lambda name: f"auto{{{name}}}") if merlin else (lambda name: name)
    lines = [f"#define N {rows}"]
    if not merlin:
        lines += [f"#pragma tunepass param {name}: ordinal(1, 2, 4) = 1" for name in ("PARA_I", "PARA_J", "BANKS")]
        lines += ["#pragma tunepass hls gemv", *(f"#define {name} 1" for name in ("PARA_I", "PARA_J", "BANKS"))]
    if rng.random() < 0.5:
        lines.append(f"#pragma tunepass constraint PARA_I * PARA_J <= {rng.choice((4, 16, 128))}")
    lines += ["#pragma ACCEL kernel"] if merlin else []
    lines += [f"void gemv({element} A[N][{columns}], {element} x[{columns}], {element} y[N])", "{"]
    if not merlin:
        lines.append("#pragma HLS array_partition variable=x cyclic factor=BANKS dim=1")
    outer = (f"#pragma ACCEL PARALLEL FACTOR={setting('PARA_I')}",) if merlin else ()
    lines += [*outer, f"  {rng.choice(('rows: ', ''))}for (int i = 0; i < N; i++) {{"]
    lines += [] if merlin else ["#pragma HLS unroll factor=PARA_I"]
    lines += [f"    {element} sum = 0;"]
    lines += [f"#pragma ACCEL PARALLEL reduction=sum FACTOR={setting('PARA_J')}"] if merlin else []
    lines += [f"    for (int j = 0; j < {columns}; j++) {{"]
    lines += [] if merlin else ["#pragma HLS pipeline II=1", "#pragma HLS unroll factor=PARA_J"]
    work = rng.choice(("A[i][j] * x[j]", "A[i][j]", "A[i][j] > 0 ? x[j] : 1", "A[i][j] - x[j] * 3"))
    return "\n".join([*lines, f"      sum += {work};", "    }", "    y[i] = sum;", "  }", "}"]) + "\n"
