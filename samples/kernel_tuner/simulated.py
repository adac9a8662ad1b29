"""Kernel Tuner with tunepass as its strategy, on the cache file beside this program: no GPU is needed.

pip install kernel_tuner
python samples/kernel_tuner/simulated.py
"""

from pathlib import Path

import kernel_tuner
import numpy as np

from tunepass.integrations.kernel_tuner import TunepassStrategy

results, _ = kernel_tuner.tune_kernel(
    "scale",
    "__global__ void scale(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }",
    4096,
    [np.ones(4096, np.float32)],
    {"block_size_x": [32, 64, 128, 256], "tile": [1, 2, 4, 8], "unroll": [1, 2, 4]},
    restrictions=["tile % unroll == 0"],
    strategy=TunepassStrategy(seed=1),
    strategy_options={"max_fevals": 15},
    cache=str(Path(__file__).with_name("scale.json")),
    simulation_mode=True,
    lang="CUDA",
    quiet=True,
)
best = min((r for r in results if "__error__" not in r), key=lambda r: r["time"])
print(f"best of {len(results)}: block_size_x={best['block_size_x']}, tile={best['tile']}, unroll={best['unroll']}")
