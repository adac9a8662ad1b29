"""Runs compiled kernels in a process of its own: a crash is the candidate's, not the benchmark's.

    python worker.py DATA.npz

A line of its input is a JSON object: `library`, a shared object; `name` of its function; `arguments`, the keys of the
arrays or numbers that it is called with, in order; `result`, the key of what it writes; `seconds` to time for. The
answer is a JSON object: `error`, the largest difference to the array `expected` relative to what it sums up, and `ms`,
the median time of a call.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64] | NDArray[np.int32]
LEAST, MOST = 3, 25  # calls that are timed
SLOW_S = 0.1  # a first call that takes longer is the only one


def answer(arrays: Mapping[str, Array], asked: Mapping[str, object]) -> dict[str, float]:
    library = ctypes.CDLL(str(asked["library"]))
    result = arrays[str(asked["result"])]
    words = asked["arguments"]
    assert isinstance(words, list)
    values = [_argument(arrays, word) for word in words]
    function = library[str(asked["name"])]
    result.fill(-7.0)
    before = time.perf_counter()
    status = function(*values)
    first = time.perf_counter() - before
    expected, scale = arrays["expected"], arrays["scale"]
    error = float(np.max(np.abs(result - expected) / scale)) if result.size else 0.0
    if status or not error < 1e-6:
        return {"error": error if error == error else float("inf"), "ms": 0.0}
    if first > SLOW_S:
        return {"error": error, "ms": 1e3 * first}
    samples = _timed(function, values, float(str(asked["seconds"])))
    return {"error": error, "ms": 1e3 * float(np.median(samples))}


def _argument(arrays: Mapping[str, Array], word: int | str) -> ctypes.c_int | ctypes.c_void_p:
    return ctypes.c_int(word) if isinstance(word, int) else ctypes.c_void_p(arrays[word].ctypes.data)


def _timed(function: ctypes._CFuncPtr, values: Sequence[ctypes.c_int | ctypes.c_void_p], budget: float) -> list[float]:
    samples: list[float] = []
    start = time.perf_counter()
    while len(samples) < LEAST or (len(samples) < MOST and time.perf_counter() - start < budget):
        before = time.perf_counter()
        function(*values)
        samples.append(time.perf_counter() - before)
    return samples


if __name__ == "__main__":
    stored = np.load(sys.argv[1])
    loaded = {name: np.ascontiguousarray(stored[name]) for name in stored.files}
    for line in sys.stdin:
        print(json.dumps(answer(loaded, json.loads(line))), flush=True)
