"""Programs are kept while they are among the best, and only as they were linked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.evaluators.kernels import window_task
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kept_programs import KeptPrograms
from tunepass.space.configuration import Configuration


@dataclass(frozen=True)
class Built:
    configuration: Configuration
    program: Path | None


@pytest.fixture
def discarded() -> list[Built]:
    return []


@pytest.fixture
def kept(discarded: list[Built]) -> KeptPrograms[Built]:
    return KeptPrograms(discarded.append, most=2)


def built(folder: Path, number: int) -> Built:
    program = folder / f"p{number}"
    program.write_text(f"program {number}")
    return Built(Configuration({"N": number}), program)


def test_the_first_and_the_best_are_kept(kept: KeptPrograms[Built], discarded: list[Built], tmp_path: Path) -> None:
    programs = [built(tmp_path, number) for number in range(5)]
    for program, value in zip(programs, (9.0, 3.0, 5.0, 4.0, 1.0)):
        kept.keep(program, value)
    assert discarded == [programs[2], programs[3]]
    assert [kept.find(p.configuration) for p in programs] == [programs[0], programs[1], None, None, programs[4]]
    assert kept.holds(programs[4]) and not kept.holds(programs[2])


def test_a_program_that_changed_or_went_is_not_used(
    kept: KeptPrograms[Built], discarded: list[Built], tmp_path: Path
) -> None:
    first, second = built(tmp_path, 1), built(tmp_path, 2)
    kept.keep(first, 1.0)
    kept.keep(second, 2.0)
    assert first.program and second.program
    first.program.write_text("another")
    second.program.unlink()
    assert kept.find(first.configuration) is None and kept.find(second.configuration) is None
    assert discarded == [first, second]


def test_the_latest_of_a_configuration_takes_the_place_of_the_earlier(
    kept: KeptPrograms[Built], discarded: list[Built], tmp_path: Path
) -> None:
    earlier, later = built(tmp_path, 1), built(tmp_path, 1)
    kept.keep(earlier, 1.0)
    kept.keep(later, 2.0)
    assert kept.find(later.configuration) is later and len(discarded) == 1


def test_finalists_are_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CompileRun(window_task(tmp_path)) as evaluator:
        configurations = [Configuration({"SHAPE": shape}) for shape in (0, 18)]
        for configuration in configurations:
            evaluator.evaluate(configuration)
        again = [evaluator.linked(configuration) for configuration in configurations]
        monkeypatch.setattr(evaluator, "prepare", None)
        assert [len(values) for values in evaluator.compare_again(configurations, rounds=2)] == [2, 2]
        assert [evaluator.linked(configuration) for configuration in configurations] == again
