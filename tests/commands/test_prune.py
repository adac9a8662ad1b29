"""`tunepass prune`, from its words to what it prints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"
SOURCES = ("dnn/mnist_keras.py", "dnn/resnet_torch.py", "spatial/BlackScholes.scala", "hls/matmul.cpp")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for source in SOURCES:
        shutil.copy(SAMPLES / source, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["prune", *words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("source_and_device", ("mnist_keras.py", "--device", "phone")),
        ("given", ("resnet_torch.py", "--device", "p100", "--limit", "time = 1 ms", "--limit", "weights=1M")),
        ("conflict", ("mnist_keras.py", "--limit", "flops=30M", "--limit", "weights>=900K", "--limit=batch_size=64")),
        ("nothing", ("mnist_keras.py", "--limit", "weights=1K")),
        ("fpga", ("BlackScholes.scala", "--device", "stratix-v", "--limit", "cycles=10M", "--limit", "seconds=60ms")),
        ("synthesis", ("matmul.cpp", "--device", "zcu102", "--limit", "cycles=4M")),
    ],
)  # fmt: skip
def test_what_is_printed(
    name: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    status, out, err = run(capsys, *words)
    golden(f"prune/{name}.txt", f"status {status}\n{out}{err}")


def test_the_answer_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "mnist_keras.py", "--limit", "weight_byte=8MiB", "--format", "json")
    found = json.loads(out)
    assert status == 0 and found["dense"] == found["before"] == 640
    assert [limit["by"] for limit in found["limits"]] == ["the source", "the source", "--limit"]
    own = found["limits"][2]
    assert (own["resource"], own["most"], own["unit"]) == ("weight_byte", 8 << 20, "B")
    assert found["left"] < own["without"] and found["left"] <= own["alone"]
    assert found["binds"] == "weight_byte=8MiB" and found["conflict"] == []
    assert found["parameters"]["filters"] == [16, 32, 64, 128]


@pytest.mark.parametrize(
    ("limit", "problem", "column"),
    [
        ("memry=1GB", "there is no resource `memry`", 1),
        ("memory", "expected `=`, `<=` or `>=` after `memory`, found the end of the limit", 7),
        ("memory<1GB", "expected `=`, `<=` or `>=` after `memory`, found `<`", 7),
        ("memory=", "expected a number, found the end of the limit", 8),
        ("memory=1 GX", "`GX` is no unit", 10),
        ("memory=1 GB 2", "expected the end of the limit after the limit, found `2`", 13),
        ("weights=1MB", "weights is counted in numbers, not in MB", 10),
        ("memory=3ms", "memory is counted in B, not in ms", 9),
        ("=3", "expected a resource, found `=`", 1),
        ("", "expected a resource, found the end of the limit", 1),
        ("padding=3", "there is no resource `padding`", 1),
        ("memory=1e999", "a number must be finite and fit 64 bits", 8),
    ],
)
def test_a_limit_that_is_none_is_a_diagnostic(
    limit: str, problem: str, column: int, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "mnist_keras.py", "--device", "phone", "--limit", limit)
    assert status == 2 and out == ""
    assert err.startswith(f"--limit:1:{column}: error: {problem}")
