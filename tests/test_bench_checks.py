"""The parts of `make bench-checks` that are quick: a few schedules of a kernel, and how wrong kernels are named."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.bench_checks import COMPILER, ROOT, refused, wrong_kernels
from tests.benchmarks.checks.honest import HONEST


def test_sums_in_another_order_are_right_beside_a_difference_of_large_sums() -> None:
    result = refused(HONEST["difference"], "difference", 3, 0, COMPILER)
    assert result.ends == {"right": 3}, result.words


def test_wrong_kernels_are_known_by_their_parameter(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("#pragma tunepass param FLT: categorical(0, 1) = 0\n")
    (tmp_path / "b.c").write_text("int main(void) { return 0; }\n")
    assert [(path.name, switch) for path, switch in wrong_kernels(tmp_path)] == [("a.c", "FLT")]
    assert len(list(wrong_kernels(ROOT / "tests/attacks/wrong"))) > 30
