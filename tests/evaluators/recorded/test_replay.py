"""Recorded spaces read, and strategies replayed against them."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from tunepass.diagnostics import StudyError
from tunepass.evaluators.recorded.evaluator import ReplayEvaluator
from tunepass.evaluators.recorded.replay import replay
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured
from tunepass.study.task import Task
from tunepass.study.trial import Trial


class InOrder:
    """Suggests the space in its own order."""

    def __init__(self, task: Task):
        self.rest = list(task.space.enumerate())

    def suggest(self, n: int) -> list[Configuration]:
        chosen, self.rest = self.rest[:n], self.rest[n:]
        return chosen

    def observe(self, trial: Trial) -> None:
        pass


PARAMETERS = [
    {"name": "x", "kind": "ordinal", "domain": [1, 2, 4], "default": 2, "scale": "log2"},
    {"name": "y", "kind": "categorical", "domain": ["off", "on"]},
    {"name": "p", "kind": "permutation", "length": 3, "domain": "all", "default": "0-1-2"},
]


def write(folder: Path, **changes: object) -> Path:
    """x * w <= 8 leaves 12 of 18; time = x + position of 0 in p, on is 10 slower; on at x = 1 does not compile."""
    rows = []
    for x, y, p in itertools.product([1, 2, 4], ["off", "on"], itertools.permutations(range(3))):
        if x * 4 > 8 or p.index(0) > p.index(2):
            continue
        reason = "CompilationFailedConfig" if (x, y) == (1, "on") else ""
        time = x + p.index(0) + (10 if y == "on" else 0)
        cells = ["", "", ""] if reason else [time, 0.5, 2.0 * x]
        rows.append([x, y, "-".join(map(str, p)), *cells, int(not reason), reason])
    stated = {
        "schema": "tunepass-recorded-space/1",
        "name": "tiny",
        "coverage": "complete: brute force",
        "n_rows": len(rows),
        "space_size": {"satisfying_known_constraints": len(rows)},
        "parameters": PARAMETERS,
        "fixed": {"w": 4},
        "constraints": ["x*w<=8", "pos_p[0] < pos_p[2]"],
        "objectives": [
            {"name": "time", "unit": "ms", "direction": "min"},
            {"name": "rate", "unit": "GB/s", "direction": "max"},
        ],
        **changes,
    }
    (folder / "tiny.json").write_text(json.dumps(stated))
    with gzip.open(folder / "tiny.csv.gz", "wt", newline="") as file:
        csv.writer(file).writerows([["x", "y", "p", "time", "time_std", "rate", "valid", "invalid_reason"], *rows])
    return folder / "tiny.json"


def configuration(x: int, y: str, p: tuple[int, ...]) -> Configuration:
    return Configuration({"x": x, "y": y, "p": p})


def test_a_complete_table_is_the_space_its_json_states(tmp_path: Path) -> None:
    recorded = read(write(tmp_path))
    assert recorded.complete and recorded.space.size == 12 and len(recorded.space.constraints) == 2
    assert recorded.space.default == configuration(2, "off", (0, 1, 2))
    assert recorded.outcome(configuration(2, "on", (1, 0, 2))) == Measured({"time": 13.0, "rate": 4.0})
    assert recorded.outcome(configuration(1, "on", (0, 1, 2))) == Failed("compile", "CompilationFailedConfig")
    assert [o.maximise for o in recorded.objectives] == [False, True]
    assert [recorded.optimum(o) for o in recorded.objectives] == [1.0, 4.0]


def test_what_a_complete_table_lacks_fails(tmp_path: Path) -> None:
    recorded = read(write(tmp_path, constraints=["x*w<=8"]))
    assert recorded.complete and recorded.space.size == 24
    assert recorded.outcome(configuration(1, "off", (2, 1, 0))) == Failed("run", "not recorded")


@pytest.mark.parametrize(
    "changes",
    [
        {"coverage": "random sample", "space_size": {"satisfying_known_constraints": 24}},
        {"coverage": "sample", "space_size": None},
        {"constraints": ["x*w<=8", "[q for q in p][0] == 1"]},
        {"constraints": ["x*unknown<=8"]},
    ],
)
def test_a_sample_or_an_untranslatable_constraint_leaves_the_rows(tmp_path: Path, changes: dict[str, object]) -> None:
    recorded = read(write(tmp_path, **changes))
    assert not recorded.complete and recorded.space.size == 12
    assert set(recorded.space.enumerate()) == set(recorded.outcomes)


def test_a_sample_is_searched_in_its_stated_space_when_that_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, coverage="random sample", space_size={"satisfying_known_constraints": 24})
    rows, stated = read(path), read(path, stated_space=True)
    assert stated.complete and set(stated.outcomes) == set(rows.outcomes)
    assert set(stated.space.enumerate()) >= set(rows.space.enumerate())


def test_replay_reports_every_seed(tmp_path: Path) -> None:
    ticks = itertools.count()
    report = replay(write(tmp_path), InOrder, 40, range(2), clock=lambda: float(next(ticks)))
    assert (report.name, report.strategy, report.space, report.size, report.optimum) == (
        "tiny",
        "InOrder",
        "stated",
        12,
        1.0,
    )
    assert [run.seed for run in report.runs] == [0, 1]
    for run in report.runs:
        assert run.evaluations == 12 and run.failures == {"compile": 3}
        assert run.best_so_far[0] == 2.0 and run.best_so_far[-1] == 1.0
        assert all(a >= b for a, b in itertools.pairwise(v for v in run.best_so_far if v is not None))
        assert len(run.strategy_s) == 12 and all(s >= 1.0 for s in run.strategy_s)
    assert json.loads(json.dumps(report.to_dict()))["runs"][0]["failures"] == {"compile": 3}


def test_a_budget_ends_the_replay(tmp_path: Path) -> None:
    report = replay(write(tmp_path), InOrder, 4, [0])
    assert report.runs[0].evaluations == len(report.runs[0].best_so_far) == 4


def test_nothing_measured_yet_is_none(tmp_path: Path) -> None:
    default_fails = [{**PARAMETERS[0], "default": 1}, {**PARAMETERS[1], "default": "on"}, PARAMETERS[2]]
    series = replay(write(tmp_path, parameters=default_fails), InOrder, 12, [0]).runs[0].best_so_far
    assert series[0] is None and series[-1] == 1.0


def test_objectives_by_name(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert replay(path, InOrder, 12, [0], objectives=["rate"]).runs[0].best_so_far[-1] == 4.0
    both = replay(path, InOrder, 12, [0], objectives=["time", "rate"])
    assert both.optimum == 1.0 and both.runs[0].best_so_far[-1] == pytest.approx(1.0)
    with pytest.raises(StudyError, match=r"no objective 'tmie'(.|\n)*did you mean 'time'"):
        replay(path, InOrder, 12, [0], objectives=["tmie"])


def test_noise_is_recorded_noise_and_repeats_with_the_seed(tmp_path: Path) -> None:
    path = write(tmp_path)
    recorded = read(path)
    default = recorded.space.default

    def draws(seed: int) -> list[float]:
        evaluator = ReplayEvaluator(recorded, recorded.objectives, np.random.default_rng(seed))
        outcomes = [evaluator(default).outcome for _ in range(400)]
        return [o.values["time"] for o in outcomes if isinstance(o, Measured)]

    assert draws(1) == draws(1) != draws(2)
    assert np.mean(draws(1)) == pytest.approx(2.0, abs=0.1) and np.std(draws(1)) == pytest.approx(0.5, abs=0.1)
    noisy = replay(path, InOrder, 12, [0], noise=True)
    assert noisy.runs[0].best_so_far == replay(path, InOrder, 12, [0], noise=True).runs[0].best_so_far
    truths = {o.values["time"] for o in recorded.outcomes.values() if isinstance(o, Measured)}
    assert {v for v in noisy.runs[0].best_so_far if v is not None} <= truths


def test_files_that_are_not_recorded_spaces(tmp_path: Path) -> None:
    path = write(tmp_path)
    with pytest.raises(StudyError, match="cannot read"):
        read(tmp_path / "absent.json")
    (tmp_path / "other.json").write_text('{"schema": "other/1"}')
    with pytest.raises(StudyError, match="its schema is 'other/1'"):
        read(tmp_path / "other.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(StudyError, match="cannot read"):
        read(tmp_path / "bad.json")
    (tmp_path / "tiny.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(StudyError, match="cannot read the rows"):
        read(path)


def test_a_cell_outside_the_domain_names_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, parameters=[{**PARAMETERS[0], "domain": [2, 4], "default": 2}, *PARAMETERS[1:]])
    with pytest.raises(StudyError, match=r"tiny\.csv\.gz:2: no such value"):
        read(path)


def test_the_table_needs_a_measured_row() -> None:
    empty = RecordedSpace("none", None, (), {}, {}, False)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="records no noise"):
        ReplayEvaluator(empty, (), np.random.default_rng(0))
