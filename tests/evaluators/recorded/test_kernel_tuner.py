"""Cache files of Kernel Tuner and T4 files as recorded spaces, and both written from trials."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.diagnostics import StudyError
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.interchange.kernel_tuner_results import cache_text, t4_text
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.study import Study
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
OUTCOMES = [
    Measured({"time": 2.0}, samples=(1.5, 2.5)),
    Measured({"time": 1.0}),
    Failed("compile", "no"),
    Failed("crash", "no"),
    Infeasible("fits"),
]
TRIALS = [
    Trial(i, Configuration({"tile": 1 << i, "mode": "ab"[i % 2]}), outcome, {"compile": 0.5, "measure": 0.25})
    for i, outcome in enumerate(OUTCOMES)
]


def cache() -> str:
    return cache_text("gemm", "a GPU", TIME, TRIALS)


def t4() -> str:
    return t4_text(TIME, TRIALS)


@pytest.fixture(params=[cache, t4])
def text(request: pytest.FixtureRequest) -> str:
    write: Callable[[], str] = request.param
    return write()


def check(table: RecordedSpace) -> None:
    kinds = [o.stage if isinstance(o, Failed) else type(o).__name__ for o in table.outcomes.values()]
    assert kinds == ["Measured", "Measured", "compile", "run", "Infeasible"]
    assert list(table.outcomes) == [t.configuration for t in TRIALS] and table.objectives == (TIME,)
    assert table.space.size == 5 and table.optimum(TIME) == 1.0
    tile, mode = table.space.parameters
    assert isinstance(tile, Ordinal) and tile.log and isinstance(mode, Categorical)
    assert table.deviation[TRIALS[0].configuration] == {"time": pytest.approx(0.5**0.5)}


def test_what_is_written_is_read(tmp_path: Path, text: str) -> None:
    plain, packed = tmp_path / "x.json", tmp_path / "x.json.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    check(read(plain))
    check(read(packed))


def test_the_version_may_stand_behind_more_results_than_are_looked_at(tmp_path: Path) -> None:
    fields = json.loads(t4())
    fields["results"] = [{**each, "note": " " * 20_000} for each in fields["results"]]
    version = fields.pop("schema_version")
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"metadata": {}, **fields, "schema_version": version}))
    check(read(path))


@pytest.mark.parametrize("end", ["", ","])
def test_the_end_that_an_interrupted_tuning_leaves_is_repaired(tmp_path: Path, end: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(cache().rstrip()[:-1].rstrip()[:-1].rstrip() + end)
    check(read(path))


def test_costs_are_in_milliseconds_and_values_as_the_schema_has_them() -> None:
    entry = json.loads(cache())["cache"]["1,a"]
    assert entry["compile_time"] == 500 and entry["benchmark_time"] == 250 and entry["times"] == [1.5, 2.5]
    results = json.loads(t4())["results"]
    assert results[0]["times"]["compilation_time"] == 500 and results[0]["times"]["runtimes"] == [1.5, 2.5]
    assert [r["invalidity"] for r in results] == ["correct", "correct", "compile", "runtime", "constraints"]
    assert results[2]["measurements"] == [] and results[2]["correctness"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tune_params_keys": ["a"], "cache": {"1": {"a": 1', "no JSON"),
        ('{"tune_params_keys": ["a"], "cache": {"1": {"time": 1}}}', "lacks a parameter"),
        ('{"tune_params_keys": ["a"], "cache": {"1": {"a": [1], "time": 1}}}', "a has the value"),
        ('{"tune_params_keys": ["a"], "cache": {}}', "no rows"),
        ('{"tune_params_keys": 1, "cache": {}}', "lacks `tune_params_keys`"),
        ('{"tune_params_keys": ["x", "y", "x"], "cache": {"1": {"x": 1, "y": 2}}}', "names a parameter twice"),
        ('{"schema_version": "1.0.0", "results": [1]}', "lacks `results`"),
        ('{"schema_version": "1.0.0", "results": [{"times": {}}]}', "lacks `configuration`"),
        ('{"tune_params_keys": ' + "[" * 100_000, "no JSON"),
    ],
)
def test_what_is_neither_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(StudyError, match=message):
        read(path)


def test_values_that_are_no_numbers_are_failures(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    entries = {
        str(i): {"a": i, "time": value} for i, value in enumerate([10**400, True, None, "RuntimeFailedConfig", 1.0])
    }
    path.write_text(json.dumps({"tune_params_keys": ["a"], "objective": "time", "cache": entries}))
    kinds = [o.stage if isinstance(o, Failed) else "measured" for o in read(path).outcomes.values()]
    assert kinds == ["metric", "metric", "metric", "run", "measured"]


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(cache().encode())[:-20])
    with pytest.raises(StudyError, match="cannot read"):
        read(path)


def test_spaces_without_such_a_form_are_refused() -> None:
    with pytest.raises(StudyError, match=r"order: .* no permutations"):
        t4_text(TIME, [Trial(0, Configuration({"order": (1, 0)}), OUTCOMES[0])])
    with pytest.raises(StudyError, match="conditions"):
        cache_text("k", "d", TIME, [TRIALS[0], Trial(1, Configuration({"tile": 4}), OUTCOMES[0])])
    with pytest.raises(StudyError, match="no trials"):
        t4_text(TIME, [])
    assert Permutation("order", 2).default == (0, 1)


def test_a_study_is_exported_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, space = f"sqlite:///{tmp_path}/runs.db", Space([Ordinal("tile", [1, 2, 4, 8])])
    for name in ("one", "two"):
        study = Study(space, [TIME], store=store, name=name, strategy="random")
        study.optimize(lambda trial: abs(float(str(trial["tile"])) - 4) + 1)
        study.close()
    for form, file in (("t4", "t4.json"), ("kernel-tuner", "cache.json")):
        words = ["store", "export", f"{tmp_path}/runs.db", "--as", form, "-o", str(tmp_path / file)]
        assert main(words) == 2 and "--study names one" in capsys.readouterr().err
        assert main([*words, "--study", "two"]) == 0
        assert "4 trials" in capsys.readouterr().out
        assert main(["replay", str(tmp_path / file), "--max-evals", "4", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["optimum"] == 1.0
    words = ["store", "export", f"{tmp_path}/runs.db", "--as", "kernel-tuner", "--study", "one", "--problem-size"]
    assert main([*words, "64,32"]) == 0
    assert json.loads(capsys.readouterr().out)["problem_size"] == [64, 32]
    assert main(["store", "check", f"{tmp_path}/runs.db", "--as", "t4"]) == 2
