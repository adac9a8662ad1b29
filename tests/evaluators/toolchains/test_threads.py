from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.ir.candidate import Candidate


@pytest.mark.parametrize(
    ("flag", "threaded"),
    [("-fopenmp", True), ("-fopenmp=libomp", True), ("-pthread", True), ("-fopenmp-simd", False), ("-O3", False)],
)
def test_a_program_may_run_threads_where_a_flag_brings_them(flag: str, threaded: bool) -> None:
    alone = Compiling(command=("gcc", "-O2"), source=Path("k.c"))
    assert alone.threaded(Candidate(flags=(flag,))) is threaded
    assert Compiling(command=("gcc", flag), source=Path("k.c")).threaded(Candidate()) is threaded
