"""`tunepass report STORE`: pages and pictures of studies that Python programs keep."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp
from tunepass.cli import main


@pytest.fixture
def store(tmp_path: Path) -> Path:
    space = tp.Space([tp.Ordinal("tile", [4, 8, 16, 32]), tp.Integer("unroll", 1, 4)])
    path = tmp_path / "runs.db"
    with tp.Store(f"sqlite:///{path}") as opened:
        one = tp.Study(space, [tp.Objective("time", unit="ms")], store=opened, name="first <run>")
        one.optimize(lambda trial: float(trial["tile"]), n_trials=6)  # type: ignore[arg-type]
        two = tp.Study(space, [tp.Objective("time"), tp.Objective("size")], store=opened, name="second")
        two.optimize(lambda trial: (float(trial["tile"]), 1.0 / trial["unroll"]), n_trials=6)  # type: ignore[arg-type,operator]
    return path


def report(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main(["report", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_a_page_has_every_study(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert report(capsys, store, "-o", target) == (0, f"wrote {target}\n")
    text = target.read_text()
    assert "<h1>first &lt;run&gt;</h1>" in text and "<h1>second</h1>" in text and "second: front" in text
    assert (
        "<dt>best</dt><dd>time 4 ms: tile=4" in text
        and "<dt>importance</dt><dd>tile " in text
        and "<script" not in text
    )


def test_one_study_is_named(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert report(capsys, store, "-o", target, "--study", "second")[0] == 0
    assert "first &lt;run" not in target.read_text()
    picture = tmp_path / "page.svg"
    assert report(capsys, store, "-o", picture, "--study", "first <run>")[0] == 0
    assert picture.read_text().startswith("<svg")


@pytest.mark.parametrize(
    "arguments,message",
    [
        (("-o", "page.svg"), "has several studies: first <run>, second"),
        (("-o", "page.svg", "--study", "second"), "a picture is of a single objective"),
        (("-o", "page.html", "--study", "secnd"), "did you mean 'second'?"),
        (("-o", "page.txt"), "FILE.html or FILE.svg"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], store: Path, arguments: tuple[str, ...], message: str) -> None:
    status, text = report(capsys, store, *arguments)
    assert status == 2 and message in text


def test_a_study_of_a_source_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    status, text = report(capsys, tmp_path / "a.c", "-o", tmp_path / "a.html", "--study", "x")
    assert status == 2 and "--study names a study of a store" in text
