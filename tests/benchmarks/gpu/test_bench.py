"""The GPU benchmark on kernels alone: sources that are read and priced, and what its tables count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tunepass
from tests.benchmarks import bench_gpu
from tests.benchmarks.gpu.predictions import score
from tests.benchmarks.gpu.recorded import ENTRIES, SPACES, Compared, Entry
from tests.benchmarks.gpu.searches import ORIGINS, WITH, WITHOUT, ratio
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.model import GpuModel


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.table)
def test_every_source_is_read_and_its_default_fits(entry: Entry) -> None:
    kernel = tunepass.load(SPACES / entry.source)
    costs = GpuModel().costs(kernel, load(entry.device).name)
    assert costs is not None
    columns = {p.name: p.column([p.default]) for p in kernel.parameters}
    assert 1e-2 < evaluate(costs.values["time"], columns, 1).values[0] < 1e3
    assert evaluate(costs.fits, columns, 1).values[0]


def test_sources_of_a_transfer_are_other_tables_of_the_same_kernel() -> None:
    kernels = {entry.table: entry.kernel for entry in ENTRIES}
    assert all(kernels[a] == kernels[b] and a != b for a, b in ORIGINS.items())


def test_a_score_by_hand() -> None:
    measured = np.array([4.0, 2.0, np.nan, 1.0, 3.0])
    estimated = np.array([8.0, 2.0, 1.0, 4.0, 6.0])
    found = score(Compared(measured, estimated, np.array([True, True, False, True, False])))
    assert found.correlation == pytest.approx(0.8)
    assert (found.top, found.first, found.random) == (2.0, 2, 2.5)
    assert (found.predicted, found.failed, found.right) == (2, 1, 1)
    assert found.scale == 2.0


def test_ratios_are_paired_over_seeds() -> None:
    hard = np.array([10.0, 30.0])
    share, error = ratio([{WITHOUT: hard, WITH: hard / 2}], WITH, WITHOUT)
    assert share == pytest.approx(0.5) and error == pytest.approx(0.0)


def test_it_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TUNEPASS_DATA", raising=False)
    monkeypatch.setattr("sys.argv", ["bench_gpu"])
    assert bench_gpu.main() == 2 and "TUNEPASS_DATA must name" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["bench_gpu", "--data", str(tmp_path)])
    assert bench_gpu.main() == 2 and "no folder `kernel_tuner`" in capsys.readouterr().err
