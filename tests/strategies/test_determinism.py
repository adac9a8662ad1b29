from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
from tunepass.testing.strategy import drive, task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
for configuration in drive(Bayesian(task(seed=11), BayesianSettings(surrogate="mixed")), 24):
    print(configuration)
"""


def suggestions(threads: int) -> str:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads)), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=True)
    return done.stdout


def test_suggestions_do_not_depend_on_the_number_of_threads() -> None:
    one = suggestions(1)
    assert one.count("Configuration(") == 24
    assert suggestions(4) == one
