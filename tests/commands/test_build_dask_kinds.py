"""Whole applications, tensor kernels and training runs over a cluster have the trials of a local build; GPU kernels
that only a model prices are refused."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_build_dask import scheduler, trials_of  # noqa: F401

SAMPLES = Path(__file__).parents[2] / "samples"
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # whose python3 trains
SEARCH = ("--max-evals", "3", "--strategy", "exhaustive", "--format", "json")

APPLICATION = """\
name: rounds
sources: [main.c, cost.h]
tools: [gcc]
parameters:
  N: {kind: ordinal, values: [1, 2, 3], default: 1, role: macro}
  SHIFT: {kind: integer, range: [0, 1], default: 0, role: environment, form: "SHIFT={}"}
build:
  command: gcc {FLAGS} main.c -o rounds
  product: rounds
run:
  command: ./rounds
  metrics: ["cost: {cost}"]
"""
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "cost.h"
int main(void)
{
    printf("cost: %d\\n", COST(N, atoi(getenv("SHIFT"))));
    return N == 2;
}
"""

TENSOR = """\
tensor y(i) dense double
tensor A(i,j) = ds double
tensor x(j) dense double
y(i) = A(i,j) * x(j)
param chunk: pow2(2, 64) = 16 log
schedule split(i, i0, i1, chunk)
generate A = mesh(rows = 300, nonzeros = 2000, seed = 1)
"""

NETWORK = """\
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense

units = 16  # tunepass param units: ordinal(8, 16, 32)
batch = 8  # tunepass param batch: ordinal(4, 8)
# tunepass run "python3 train.py {units} {batch}" metric "loss: {loss}"
model = Sequential([Dense(units, input_shape=(64,)), Dense(10)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, batch_size=batch)
"""
TRAIN = """\
import sys

units, batch = map(int, sys.argv[1:])
if units == 32:
    raise SystemExit("diverged")
sys.stdout.write(f"loss: {1 / units + 1 / batch}\\n")
"""


def comparable(trials: dict[str, tuple[object, ...]], *, timed: bool) -> dict[str, tuple[object, ...]]:
    """Without the stages, which follow from measured times where there are any."""
    return {name: trial[:-1] if timed and name != "study" else trial for name, trial in trials.items()}


def set_path(path: str) -> None:
    os.environ["PATH"] = path


def both(folder: Folder, address: str, source: str, *words: str, timed: bool = False) -> dict[str, object]:
    """The answer of a build over the cluster, whose trials are those of a local one."""
    command = ("build", source, *SEARCH)
    done = folder.run(*command, "--executor", "dask", "--scheduler", address, *words)
    assert done.returncode == 0, done.stderr
    there = comparable(trials_of(folder, timed=timed), timed=timed)
    (folder.path / "tunepass.lock").unlink()
    (folder.path / ".tunepass/store.db").unlink()
    here = folder.run(*command, *words)
    assert here.returncode == 0, here.stderr
    assert comparable(trials_of(folder, timed=timed), timed=timed) == there
    answer: dict[str, object] = json.loads(done.stdout)
    if not timed:
        assert json.loads(here.stdout)["choice"] == answer["choice"]
    return answer


@pytest.mark.slow
def test_a_whole_application(folder: Folder, scheduler: str) -> None:  # noqa: F811
    folder.write("tune.yaml", APPLICATION)
    folder.write("main.c", MAIN)
    folder.write("cost.h", "#define COST(n, shift) ((n - 3) * (n - 3) + shift)\n")
    answer = both(folder, scheduler, "tune.yaml")
    assert answer["trials"] == 3 and (folder.path / "out/rounds.tuned").exists()


@pytest.mark.slow
def test_a_tensor_kernel(folder: Folder, scheduler: str) -> None:  # noqa: F811
    folder.write("spmv.taco", TENSOR)
    answer = both(folder, scheduler, "spmv.taco", timed=True)
    assert answer["trials"] == 3 and answer["failures"] == {}
    checks = {each["check"]: each["state"] for each in answer["checks"]}  # type: ignore[attr-defined]
    assert checks["outputs"] == "ran"


def test_training_runs(folder: Folder, scheduler: str) -> None:  # noqa: F811
    folder.write("network.py", NETWORK)
    folder.write("train.py", TRAIN)
    answer = both(folder, scheduler, "network.py")
    assert answer["trials"] == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "source", "needed"),
    [("apps/heat", "tune.yaml", "make"), ("taco", "mttkrp.taco", "gcc"), ("dnn", "digits_keras.py", "sklearn")],
)
def test_the_samples(
    folder: Folder,
    scheduler: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    sample: str,
    source: str,
    needed: str,
) -> None:
    if needed == "sklearn":
        pytest.importorskip("sklearn", reason="scikit-learn, which trains the sample, is not installed")
    elif shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    shutil.copytree(SAMPLES / sample, folder.path, dirs_exist_ok=True)
    monkeypatch.setenv("PATH", PATH)
    with importlib.import_module("distributed").Client(scheduler) as client:
        client.run(set_path, PATH)
    answer = both(folder, scheduler, source, timed=sample != "dnn")
    assert answer["trials"] == 3 and answer["failures"] == {}


def test_gpu_kernels_that_only_a_model_prices_are_refused(folder: Folder) -> None:
    shutil.copy(SAMPLES / "cuda" / "matmul.cu", folder.path)
    words = ("build", "matmul.cu", "--backend", "model", "--device", "a100", "--max-evals", "3")
    done = folder.run(*words, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert done.returncode == 2 and "matmul.cu is priced by a model, here" in done.stderr, done.stderr
