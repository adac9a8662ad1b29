"""Exact search, estimates and replays over Dask's processes print what one process prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.test_build_dask import scheduler  # noqa: F401
from tests.commands.test_replay import recorded  # noqa: F401
from tunepass import cli

SPATIAL = str(Path(__file__).parents[2] / "samples" / "spatial" / "BlackScholes.scala")
PRICED = (SPATIAL, "--device", "stratix-v")


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert cli.main(list(words)) == status, capsys.readouterr().err
    return capsys.readouterr().out


def over(address: str) -> tuple[str, ...]:
    return ("--executor", "dask", "--scheduler", address)


def test_an_exact_front(capsys: pytest.CaptureFixture[str], scheduler: str) -> None:  # noqa: F811
    words = ("pareto", *PRICED, "--exact", "--strategy", "exhaustive", "--format", "json")
    there = printed(capsys, *words, *over(scheduler))
    assert there == printed(capsys, *words) and len(json.loads(there)["pareto"]) > 5


@pytest.mark.slow
def test_a_build_by_exact_search(capsys: pytest.CaptureFixture[str], tmp_path: Path, scheduler: str) -> None:  # noqa: F811
    answers = []
    for place, more in (("there", over(scheduler)), ("here", ())):
        source = tmp_path / place / "BlackScholes.scala"
        source.parent.mkdir()
        source.write_text(Path(SPATIAL).read_text())
        words = ("build", str(source), *PRICED[1:], "--strategy", "exhaustive", "--objective", "cycles,alms")
        out = ("-o", str(source.parent / "out"), "--format", "json")
        answer = json.loads(printed(capsys, *words, *out, *more))
        answers.append({name: answer[name] for name in ("choice", "objectives", "pareto", "evaluations", "trials")})
    assert answers[0] == answers[1] and answers[0]["evaluations"] == 672


def test_a_table_of_estimates(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    scheduler: str,  # noqa: F811
) -> None:
    table = tmp_path / "designs.csv"
    table.write_text("B,IP\n96,1\n96,2\n192,4\n")
    words = ("estimate", *PRICED, "--configs", str(table), "--format", "json")
    there = printed(capsys, *words, *over(scheduler))
    assert there == printed(capsys, *words) and len(json.loads(there)["points"]) == 3


def test_a_replay(capsys: pytest.CaptureFixture[str], scheduler: str, recorded: str) -> None:  # noqa: F811
    words = ("replay", recorded, "--strategy", "random", "--max-evals", "6", "--seeds", "0..3", "--format", "json")
    there, here = (json.loads(printed(capsys, *words, *more)) for more in (over(scheduler), ()))
    for run in (*there["runs"], *here["runs"]):
        assert len(run.pop("strategy_s")) == 6
    assert there == here and [run["seed"] for run in there["runs"]] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("pareto", *PRICED), "--executor is about an exact search"),
        (("pareto", *PRICED, "--exact"), "branch_and_bound decides each step by all earlier ones, in one process"),
        (("estimate", *PRICED), "--executor is about a table of configurations"),
        (("build", *PRICED), "BlackScholes.scala is priced by a model, here"),
        (("build", *PRICED, "--strategy", "branch_and_bound"), "branch_and_bound decides each step by all earlier"),
    ],
)
def test_what_has_no_shares_is_told(
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main([*words, *over("tcp://127.0.0.1:1")]) == 2, "without asking the scheduler"
    assert text in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [("pareto", *PRICED, "--exact"), ("replay", "x.json"), ("prune", *PRICED)])
def test_options_of_a_cluster_need_the_executor(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert cli.main([*words, "--workers", "2"]) == 2
    assert "--workers is about a cluster; add --executor dask" in capsys.readouterr().err
