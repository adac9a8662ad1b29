"""Programs that are run with a number of BLAS threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def printed(program: str, threads: int) -> str:
    """The output of a Python program that may start so many threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, **dict.fromkeys(names, str(threads)), "PYTHONPATH": root}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
