"""Kernel Tuner's C backend on a kernel: run by its own Python, it knows nothing of tunepass.

    python driver.py DESCRIPTION.json

The description: `source`, C text; `function`; `prototype`, its arguments as C has them; `arguments`, numbers or the
names of arrays in `arrays` (an .npz); `parameters`, the values by name; `constraints`, expressions over them;
`compiler` and its `words`; `strategy`; `seconds`; `seed`. Prints a JSON object: `choice`, `evaluations`.
"""

from __future__ import annotations

import json
import random
import sys

import numpy as np

import kernel_tuner

CALLS = 5  # of which a time is the mean

TIMED = """
#include <time.h>
float timed({prototype})
{{
    struct timespec began_, ended_;
    clock_gettime(CLOCK_MONOTONIC, &began_);
    {function}({names});
    clock_gettime(CLOCK_MONOTONIC, &ended_);
    return (float)((ended_.tv_sec - began_.tv_sec) * 1e3 + (ended_.tv_nsec - began_.tv_nsec) * 1e-6);
}}
"""


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        described = json.load(file)
    random.seed(described["seed"])
    np.random.seed(described["seed"])
    arrays = np.load(described["arrays"])
    arguments = [arrays[a] if isinstance(a, str) else np.int32(a) for a in described["arguments"]]
    results, _ = kernel_tuner.tune_kernel(
        "timed",
        described["source"] + TIMED.format(**described),
        1,
        arguments,
        described["parameters"],
        lang="C",
        compiler=described["compiler"],
        compiler_options=described["words"],
        restrictions=described["constraints"],
        strategy=described["strategy"],
        strategy_options={"time_limit": described["seconds"], "max_fevals": 100_000},
        iterations=CALLS,
        verbose=False,
        quiet=True,
    )
    timed = [r for r in results if isinstance(r["time"], float)]
    best = min(timed, key=lambda r: r["time"])
    choice = {name: best[name] for name in described["parameters"]}
    print("\n" + json.dumps({"choice": choice, "evaluations": len(results)}))


if __name__ == "__main__":
    main()
