"""The words of TACO's tool, as a source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.taco.sources import SPMM, kernel
from tunepass.cli import main
from tunepass.diagnostics import TunepassError
from tunepass.frontends.taco.commandline import Words, source_of
from tunepass.ir.tensor import BoundFile, Format, TensorKernel

EXPRESSION = "A(i,k)=B(i,j)*C(j,k)"
WORDS = (
    ("f", "B:ds:1,0"),
    ("t", "C:float"),
    ("d", "C:10,20"),
    ("d", "k:20"),
    ("s", "split(j,j0,j1,n),pos(i,ipos,B)"),
    ("s", "parallelize(k,CPUThread,NoRaces)"),
    ("nthreads", "4"),
    ("schedule", "dynamic,16"),
    ("i", 'B:my "own".mtx'),
    ("param", "n: pow2(1, 64) = 8"),
    ("constraint", "n != 2"),
)


def test_the_source_of_some_words(golden: Callable[[str, str], None]) -> None:
    source = source_of(EXPRESSION, WORDS)
    assert source.name == "A.taco"
    golden("taco/A.taco", source.text)


def test_what_the_words_mean() -> None:
    read = kernel(source_of(EXPRESSION, WORDS).text)
    body = read.body_as(TensorKernel)
    assert body.tensor("B").format == Format(("dense", "compressed"), (1, 0))
    assert body.tensor("C").element == "float" and body.extents == (("j", 10), ("k", 20))
    assert [d.path for d in body.data if isinstance(d, BoundFile)] == [Path('my "own".mtx')]
    assert [p.name for p in read.parameters] == ["n"]


@pytest.mark.parametrize(
    "words,problem",
    [
        ((("f", "ds"),), "-f is written like -f=B:ds"),
        ((("f", "D:ds"),), "no tensor `D`"),
        ((("f", "B:ds; bind B"),), "-f is written like"),
        ((("d", "B:4"),), "1 extents, `B` has 2 modes"),
        ((("d", "k:4"), ("d", "C:3,5")), "`k` two extents, 4 and 5"),
        ((("s", "split(i,i0,i1"),), "found the end of the line"),
        ((("s", "reorder(i,j)\nbind B"),), "-s is written like"),
        ((("schedule", "guided"),), "-schedule is written like"),
    ],
)
def test_words_that_are_wrong(words: Words, problem: str) -> None:
    with pytest.raises(TunepassError, match=problem):
        source_of(EXPRESSION, words)


def test_the_command_takes_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["-f=B:ds", "--s=split(i,i0,i1,n)", "-s", "unroll(i1,n)", "--param=n: pow2(1, 8)"]
    assert main(["space", "--format", "json", "--taco", EXPRESSION, *words]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["source"], printed["feasible"]) == ("A.taco", 4)
    assert not list(tmp_path.iterdir())


def test_a_source_or_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space"]) == main(["space", "a.taco", "--taco", EXPRESSION]) == main(["space", "a.c", "-f=B:ds"]) == 2
    printed = capsys.readouterr().err
    assert "takes a SOURCE or --taco" in printed and "not both" in printed and "-f=B:ds goes with --taco" in printed


def test_a_file_of_that_name_is_not_mistaken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.taco").write_text(SPMM)
    assert main(["space", "--taco", EXPRESSION, "-f=B:ds"]) == 2
    assert "A.taco is a file of this folder" in capsys.readouterr().err
