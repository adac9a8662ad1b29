"""The files that `tunepass prune` writes, and its proof."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.diagnostics import Source
from tunepass.interchange.space_file import read_space
from tunepass.pruning.base import CHUNK

SAMPLE = Path(__file__).parents[2] / "samples" / "dnn" / "mnist_keras.py"
LIMITS = ("--limit", "flops=60M")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(SAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["prune", SAMPLE.name, *words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def left(capsys: pytest.CaptureFixture[str]) -> int:
    status, out, _ = run(capsys, *LIMITS, "--format", "json")
    assert status == 0
    count = json.loads(out)["left"]
    assert isinstance(count, int)
    return count


def test_a_table_has_a_row_for_each_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, *LIMITS, "-o", "left.csv")
    assert status == 0 and "wrote   left.csv" in out
    rows = (here / "left.csv").read_text().splitlines()
    assert rows[0] == "batch_size,kernel,filters,units,padding"
    assert len(set(rows)) == len(rows) == left(capsys) + 1
    assert main(["estimate", SAMPLE.name, "--configs", "left.csv", "--format", "json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert all(point["values"]["flops"] <= 60e6 and point["fits"] for point in points)


def test_parquet_holds_the_same(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run(capsys, *LIMITS, "-o", "left.parquet")[0] == 0
    table = parquet.read_table(here / "left.parquet")
    assert table.num_rows == left(capsys)
    assert table.column("padding").to_pylist()[0] in ("same", "valid")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_several_processes_write_the_same_file(form: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    lines = (here / SAMPLE.name).read_text().replace("ordinal(64, 128, 256, 512)", "integer(1..2048)").splitlines()
    (here / "wide.py").write_text("\n".join(line for line in lines if not line.startswith("# tunepass limit")))
    for jobs in ("1", "2"):
        words = ("--limit", "flops=900M", "--jobs", jobs, "-o", f"{jobs}.{form}", "--format", "json")
        assert main(["prune", "wide.py", *words]) == 0
    assert json.loads(capsys.readouterr().out.split("\n}\n")[0] + "}")["left"] > CHUNK
    assert (here / f"1.{form}").read_bytes() == (here / f"2.{form}").read_bytes()


def test_a_space_has_the_limits_as_constraints(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *LIMITS, "-o", "left.space.json")[0] == 0
    space = read_space(Source("left.space.json", (here / "left.space.json").read_text()))
    assert space.size == left(capsys)


@pytest.mark.parametrize("name,words", [("search_space.json", ()), ("a.nni.json", ()), ("a.json", ("--as", "nni"))])
def test_nni_takes_the_values_that_are_left(
    name: str, words: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, *LIMITS, "-o", name, *words)[0] == 0
    written = json.loads((here / name).read_text())
    _, out, _ = run(capsys, *LIMITS, "--format", "json")
    parameters = json.loads(out)["parameters"]
    assert {p: value["_value"] for p, value in written.items()} == parameters


def test_the_conditions_as_smt_lib(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, *LIMITS, "--smt2", "a.smt2")
    assert status == 0 and "wrote   a.smt2" in out
    text = (here / "a.smt2").read_text()
    assert "(declare-const filters Int)" in text and ":named limit.1" in text and "(check-sat)" in text


@pytest.mark.parametrize(
    "words,message",
    [
        (("-o", "left.txt"), "-o takes a name that ends in .space.json"),
        (("-o", "left.json"), "or name it with --as"),
        (("-o", "left.json", "--as", "nnni"), "did you mean 'nni'?"),
        (("--as", "nni"), "add -o FILE"),
        (("--limit", "weights=1K", "-o", "left.csv"), "nothing is left to be written"),
        (("-o", "nowhere/left.csv"), "nowhere: No such file or directory"),
    ],
)
def test_what_cannot_be_written(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, *words)
    assert status == 2 and message in err


def test_z3_proves_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    status, out, _ = run(capsys, *LIMITS, "--prove")
    assert status == 0 and re.search(r"proved  by Z3 in \d+ questions", out)
    _, answer, _ = run(capsys, *LIMITS, "--prove", "--format", "json")
    proof = json.loads(answer)["proof"]
    assert proof.pop("questions") >= 2
    assert proof == {"proved": True, "rounded": 0, "open": 0, "refuted": None, "inside": None}


def test_several_processes_prove_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    answers = []
    for jobs in ("1", "2"):
        _, out, _ = run(capsys, *LIMITS, "--prove", "--jobs", jobs, "--format", "json")
        answers.append({**json.loads(out)["proof"], "questions": None})  # how many depends on what a process has asked
    assert answers[0] == answers[1] and answers[0]["proved"]


def test_z3_counts_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    _, out, _ = run(capsys, *LIMITS, "--solver", "z3", "--format", "json")
    assert json.loads(out)["left"] == left(capsys)
