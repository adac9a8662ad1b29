"""A pipeline in a long-lived process, a thousand times: memory, open files, threads and child processes.

`toy` compiles the nest of samples/embedding, each time under another name and seed; `c` reads, compiles and measures a
smaller samples/c/stencil.c with gcc. The first tenth of the runs, at most 20, is warm-up: imports, caches, the heap's
shape. `in use` is what malloc has given out, without its free lists (mallinfo2 of glibc).
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import tunepass as tp
from tunepass.testing import ProcessCounts, ProcessSettings
from tunepass.testing.process_state import resident_kib

SAMPLES = Path(__file__).parents[2] / "samples"
ROWS = 10  # of a table
WARM_UP = 20


class Mallinfo2(ctypes.Structure):
    """struct mallinfo2, malloc.h of glibc 2.33."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks")),
        *((name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")),
    ]


def in_use_kib() -> int:
    """KiB that malloc has given out; 0 where the C library does not tell."""
    function = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if function is None:
        return 0
    function.restype = Mallinfo2
    state = function()
    return int(state.uordblks + state.hblkhd) // 1024


def toycc() -> ModuleType:
    """samples/embedding/toycc.py."""
    spec = importlib.util.spec_from_file_location("toycc", SAMPLES / "embedding" / "toycc.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toycc"] = module
    spec.loader.exec_module(module)
    return module


def toy() -> Callable[[int], tp.Result]:
    module = toycc()
    return lambda number: module.compile_nest(replace(module.MATMUL, name=f"matmul{number}"), seed=number)


def stencil(folder: Path) -> Callable[[int], tp.Result]:
    text = (SAMPLES / "c" / "stencil.c").read_text()
    source = folder / "stencil.c"
    source.write_text(text.replace("(n = 1000, ", "(n = 200, "))
    return lambda number: tp.Pipeline.default(max_evals=3, seed=number, compiler=("gcc", "-O1")).run(tp.load(source))


def measure(name: str, runs: int, run: Callable[[int], tp.Result]) -> None:
    """Print a table of `runs` runs, then the growth after the warm-up."""
    warm = max(1, min(WARM_UP, runs // 10))
    rows = sorted({warm, *(round(warm + (runs - warm) * i / ROWS) for i in range(1, ROWS + 1))})
    settings, start, kept = ProcessSettings.now(), time.process_time(), []
    print(f"{name}: {runs} runs\n   run  resident   in use  files  threads  children  CPU s")
    for number in range(1, runs + 1):
        run(number)
        if number in rows:
            gc.collect()
            counts = ProcessCounts.now()
            kept.append((resident_kib(), in_use_kib(), counts))
            print(
                f"{number:6,} {kept[-1][0] / 1024:6.1f} MiB {kept[-1][1] / 1024:4.1f} MiB {counts.files:6} "
                f"{counts.threads:8} {counts.children:9} {time.process_time() - start:6.1f}",
                flush=True,
            )
    (resident, in_use, before), (last_resident, last_in_use, after) = kept[0], kept[-1]
    print(
        f"after run {warm}: resident {last_resident - resident:+,} KiB, in use {last_in_use - in_use:+,} KiB; "
        f"files, threads, children {'the same' if before == after else 'differ'}; "
        f"signals, folder, environment {'the same' if settings == ProcessSettings.now() else 'differ'}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toy", type=int, default=1000, help="runs of the toy compiler")
    parser.add_argument("--c", type=int, default=40, help="runs of C with gcc")
    options = parser.parse_args()
    print(f"tunepass {tp.__version__}, Python {sys.version.split()[0]}, {os.uname().machine}")
    if options.toy:
        measure("toy", options.toy, toy())
    with tempfile.TemporaryDirectory() as folder:
        if options.c:
            measure("c", options.c, stencil(Path(folder)))


if __name__ == "__main__":
    main()
