"""Malformed CUDA and OpenCL sources: each gives exactly one diagnostic, with its place and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.gpu.sources import short
from tests.program import run_tunepass
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.gpu.frontend import GpuFrontend

CASES = sorted((Path(__file__).parents[2] / "golden" / "gpu" / "malformed").glob("*.c[ul]"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_one_diagnostic(path: Path, golden: Callable[[str, str], None]) -> None:
    with pytest.raises(SourceError) as caught:
        GpuFrontend().parse(Source(path.name, path.read_text()))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.start <= len(path.read_text())
    golden(f"gpu/malformed/{path.stem}.txt", diagnostic.render() + "\n")


def test_there_are_thirty() -> None:
    assert len(CASES) >= 30


@pytest.mark.parametrize("stem", ["zero_grid", "other_type", "access_of_nothing"])
def test_the_command_line_tells_it_with_status_2(stem: str, tmp_path: Path) -> None:
    path = next(p for p in CASES if p.stem == stem)
    (tmp_path / path.name).write_text(path.read_text())
    result = run_tunepass(["space", path.name], tmp_path)
    assert result.returncode == 2 and not result.stdout
    assert f"{path.name}:" in result.stderr and "Traceback" not in result.stderr


def test_independent_mistakes_are_told_together() -> None:
    lines = "#pragma tunepass access y: load(m)\n#pragma tunepass access z: load(1)\n"
    with pytest.raises(SourceError) as caught:
        GpuFrontend().parse(Source("two.cu", short(lines=lines)))
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [2, 3]


@pytest.mark.parametrize(
    "grid", ["(" * 10_000 + "n" + ")" * 10_000, "1" * 100_000, "10 ** 10 ** 10", '"' + "x" * 100_000]
)
def test_hostile_launches_are_diagnostics(grid: str) -> None:
    with pytest.raises(SourceError) as caught:
        GpuFrontend().parse(Source("hostile.cu", short(f"grid({grid}) block(BX)")))
    assert len(str(caught.value)) < 2000
