"""`tunepass build` starts from an earlier study of the kernel: by default, by name, or not at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE, Folder
from tests.commands.test_replay import STATED, recorded
from tunepass import cli
from tunepass.study.storage.store import Store

__all__ = ["recorded"]
COMPILER = ("--", "gcc", "-O2")


@pytest.fixture(scope="module")
def resized(built: Folder, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A copy of the tuned folder, the kernel now of another size."""
    path = tmp_path_factory.mktemp("resized") / "copy"
    shutil.copytree(built.path, path)
    folder = Folder(path)
    folder.write("scale.c", SOURCE.replace("n = 4096", "n = 8192"))
    return folder


@pytest.mark.slow
def test_another_size_starts_from_the_first_one_s_best(resized: Folder) -> None:
    done = resized.run("build", "scale.c", "--max-evals", "3", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    used = data["transfer"]
    assert used["study"].startswith("scale.c::scale@") and used["trials"] == 4
    assert used["differs"] == ["another source"] and used["shared"] == ["BLOCK", "OPT"]
    assert -1 <= used["rank_correlation"] <= 1 and 0 <= used["weight"] <= 1 and used["compared"] >= 1
    assert f"starts from {used['study']} (4 trials; another source)" in done.stderr
    with Store(f"sqlite:///{resized.path / '.tunepass/store.db'}") as store:
        first, second = (store.trials(record) for record in store.studies())
    measured = [t for t in first if t.measured and not t.censored]
    best = min(measured, key=lambda t: t.outcome.values["time"])  # type: ignore[union-attr]
    assert best.configuration in [t.configuration for t in second[:2]]
    explained = resized.run("explain", "scale.c").stdout
    assert f"transfer  {used['study']}" in explained and "rank correlation" in explained
    told = json.loads(resized.run("explain", "scale.c", "--format", "json").stdout)["kernels"][0]
    assert told["transfer"] == used and set(told["importance"]) in (set(), {"BLOCK", "OPT"})
    resized.run("report", "scale.c", "-o", "out.html")
    assert used["study"] in (resized.path / "out.html").read_text()


@pytest.mark.slow
def test_none_switches_it_off_and_a_store_can_be_named(built: Folder, resized: Folder, tmp_path: Path) -> None:
    words = ["build", str(resized.path / "scale.c"), "--max-evals", "1", "-o", str(tmp_path / "out"), "--continue"]
    alone = resized.run(*words, "--store", "other.db", "--transfer-from", "none", "--format", "json", *COMPILER)
    assert json.loads(alone.stdout)["transfer"] is None and "starts from" not in alone.stderr
    lock = f"{built.path / 'tunepass.lock'}:scale.c::scale"
    done = resized.run(*words, "--store", "third.db", "--transfer-from", lock, *COMPILER)
    assert done.returncode == 0 and "  transfer  scale.c::scale@" in done.stdout, done.stderr


@pytest.mark.slow
def test_a_source_that_is_gone_is_remarked_on(built: Folder, resized: Folder, tmp_path: Path) -> None:
    shutil.copy(built.path / ".tunepass/store.db", tmp_path / "source.db")
    words = ["build", str(resized.path / "scale.c"), "-o", str(tmp_path / "out"), "--continue", "--store", "fourth.db"]
    resized.run(*words, "--max-evals", "1", "--transfer-from", str(tmp_path / "source.db"), *COMPILER)
    (tmp_path / "source.db").unlink()
    done = resized.run(*words, "--max-evals", "2", *COMPILER)
    assert done.returncode == 0 and "source.db, which is gone: it goes on without" in done.stderr, done.stderr


@pytest.mark.parametrize(
    "named,message",
    [
        ("nowhere.db", "there is no file 'nowhere.db'"),
        (".tunepass/store.db:scale.c::scald", "did you mean 'scale.c::scale'?"),
        ("tunepass.lock:other.c::scale", "has no kernel other.c::scale"),
        ("scale.c", "scale.c"),
        ("tiny.json", "share no parameter: x, y against BLOCK, OPT"),
    ],
)
def test_what_cannot_be_started_from_is_status_2(
    resized: Folder, recorded: str, named: str, message: str, tmp_path: Path
) -> None:
    for name in ("tiny.json", "tiny.csv.gz"):
        shutil.copy(tmp_path / name, resized.path / name)
    words = ["build", "scale.c", "--max-evals", "1", "--store", "fourth.db", "--continue", "--transfer-from", named]
    done = resized.run(*words, *COMPILER)
    assert done.returncode == 2 and message in done.stderr and "internal error" not in done.stderr


def test_replay_starts_from_another_table(recorded: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "far.json").write_text(json.dumps({**STATED, "name": "far"}))
    shutil.copy(tmp_path / "tiny.csv.gz", tmp_path / "far.csv.gz")
    words = [
        "replay",
        recorded,
        "--strategy",
        "bayesian",
        "--max-evals",
        "4",
        "--transfer-from",
        str(tmp_path / "far.json"),
    ]
    assert cli.main([*words, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["transfer"] == "far" and report["runs"][0]["best_so_far"][1] == 3.0
    assert report["runs"][0]["trust"]["rank_correlation"] == pytest.approx(1.0)
    assert cli.main(words) == 0
    head, titles, line = capsys.readouterr().out.splitlines()
    assert head.endswith("transfer from far") and titles.split()[-1] == "weight" and " 1.00 " in line
    both = [*words, "--transfer-from", recorded]
    assert cli.main(both) == 0
    head, titles, line = capsys.readouterr().out.splitlines()
    assert head.endswith("transfer from far and tiny") and " 1.00 " in line
    assert cli.main(["replay", recorded, "--transfer-from", str(tmp_path / "absent.json")]) == 2
    assert "cannot read" in capsys.readouterr().err
