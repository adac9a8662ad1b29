"""A kernel tuned for several sizes: the choices against the best of each, the header, and the lock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.program import run_tunepass
from tunepass.backends.base import Target, backend_for
from tunepass.diagnostics import Source
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.sizes import Size
from tunepass.jobs.job import prepare
from tunepass.jobs.sizes import resized, sizes_to_tune, source_size
from tunepass.passes.search import evaluating
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Lock
from tunepass.study.outcome import Measured

SOURCE = """
#pragma tunepass param B: pow2(32, 1024) = 32 log
#pragma tunepass param ITEMS: pow2(1, 64) = 1 log
#pragma tunepass param VEC: pow2(1, 4) = 1 log
#pragma tunepass constraint n % VEC == 0
#pragma tunepass work flops(ITEMS * VEC)
#pragma tunepass access x: load(ITEMS * VEC) stride(VEC) vector(VEC) total(n)
#pragma tunepass access y: store(ITEMS * VEC) stride(VEC) vector(VEC) total(n)
#pragma tunepass kernel twice(n = 4096, x: in float[n], y: out float[n]) grid(ceildiv(n, B * ITEMS * VEC)) block(B) \\
    sizes(n = 1024, 65536, 1048577, 16777216)
#ifndef B
#define B 32
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef VEC
#define VEC 1
#endif
__global__ void twice(int n, const float *x, float *y)
{
    for (int i = 0; i < ITEMS * VEC; i++) {
        const int at = (blockIdx.x * ITEMS * VEC + i) * B + threadIdx.x;
        if (at < n) y[at] = 2 * x[at];
    }
}
"""
TARGET = Target(device="a100", generator="model")
MODEL = ("--device", "a100", "--backend", "model")


def values_at(folder: Path, size: Size) -> dict[Configuration, float]:
    """Of all configurations that may be used there."""
    kernel = GpuFrontend().parse(Source(str(folder / "twice.cu"), SOURCE)).kernels[0]
    job = resized(prepare(kernel, TARGET, Lock()), size)
    found = {}
    with evaluating(job.backend) as evaluate:
        for configuration in job.space.enumerate():
            outcome = evaluate(configuration).outcome
            if isinstance(outcome, Measured):
                found[configuration] = outcome.values["time"]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "twice.cu").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize("variants", [5, 2])
@pytest.mark.slow_but(2)
def test_near_the_best_of_each_size(folder: Path, variants: int) -> None:
    done = run_tunepass(["build", "twice.cu", *MODEL, "--strategy", "exhaustive", "--variants", str(variants)], folder)
    assert done.returncode == 0, done.stderr
    entry = Lock.read(folder / "tunepass.lock").entries["twice.cu::twice"]
    assert list(entry.sizes) == ["n=4096", "n=1024", "n=65536", "n=1048577", "n=16777216"]
    assert len(set(entry.sizes.values())) <= variants
    tables = [values_at(folder, (("n", int(text[2:])),)) for text in entry.sizes]
    slowdowns = [table[choice] / min(table.values()) for table, choice in zip(tables, entry.sizes.values())]
    assert max(slowdowns) <= 1.05
    odd = entry.sizes["n=1048577"]
    assert odd["VEC"] == 1  # where nothing else divides it


def test_the_lock_is_enough(folder: Path) -> None:
    build = ["build", "twice.cu", *MODEL, "--max-evals", "60"]
    assert run_tunepass(build, folder).returncode == 0
    header, lock = folder / "out" / "twice.dispatch.h", (folder / "tunepass.lock").read_text()
    first = header.read_text()
    header.unlink()
    again = run_tunepass([*build, "--frozen"], folder)
    assert again.returncode == 0 and "nothing was evaluated" in again.stdout
    assert header.read_text() == first and (folder / "tunepass.lock").read_text() == lock
    assert "nothing was evaluated" in run_tunepass(build, folder).stdout
    assert "fits" in run_tunepass(["verify", "twice.cu"], folder).stdout


def test_without_variants_there_is_no_header(folder: Path) -> None:
    done = run_tunepass(["build", "twice.cu", *MODEL, "--max-evals", "10", "--variants", "1"], folder)
    assert done.returncode == 0
    assert not (folder / "out" / "twice.dispatch.h").exists() and "sizes:" not in (folder / "tunepass.lock").read_text()


def test_sizes_that_nobody_listed(folder: Path) -> None:
    (folder / "twice.cu").write_text(SOURCE.replace("sizes(n = 1024, 65536, 1048577, 16777216)", "tolerance(0)"))
    done = run_tunepass(["build", "twice.cu", *MODEL, "--variants", "2"], folder)
    assert done.returncode == 2 and "needs sizes to tune for" in done.stderr


def test_a_size_is_the_kernel_with_other_scalars(folder: Path) -> None:
    kernel = GpuFrontend().parse(Source(str(folder / "twice.cu"), SOURCE)).kernels[0]
    job = prepare(kernel, TARGET, Lock())
    assert source_size(backend_for(kernel, TARGET), ["n"]) == (("n", 4096),)
    assert len(sizes_to_tune(job, None)) == 5 and sizes_to_tune(job, 1) == ()
    odd = resized(job, (("n", 1048577),))
    assert odd.key.endswith("twice.cu::twice[n=1048577]") and odd.study != job.study
    assert {c["VEC"] for c in odd.space.sample(20, np.random.default_rng(0))} == {1}
