"""The compilers of this machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tunepass.cli import main

REST = """\
sources: [main.c]
build: {command: "COMPILER {FLAGS} main.c -o main", product: main}
run: {command: ./main}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.slow_but(2)
def test_a_build_takes_what_is_printed(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    monkeypatch.chdir(tmp_path)
    assert main(["flags", compiler, "--kinds", "optimizers", "--level", "O1"]) == 0
    text = capsys.readouterr().out
    Path("tune.yaml").write_text(text + REST.replace("COMPILER", compiler))
    Path("main.c").write_text("int main(void) { return 0; }\n")
    assert main(["space", "tune.yaml", "--format", "json"]) == 0
    names = [p["name"] for p in json.loads(capsys.readouterr().out)["parameters"]]
    assert names[0] == "LEVEL" and len(names) > (100 if compiler == "gcc" else 10)
    assert main(["build", "tune.yaml", "--max-evals", "2", "--strategy", "random", "-o", "out"]) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["gcc", "--level", "O9"], "no level is called -O9"),
        (["gcc", "--kinds", "all"], "no kind of option is called all"),
        (["no-such-gcc"], "compiler not found: no-such-gcc"),
        (["make"], "does not list options"),
    ],
)
def test_what_cannot_be_listed(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("gcc") is None or shutil.which("make") is None:
        pytest.skip("no gcc or no make")
    assert main(["flags", *words]) == 2
    assert told in capsys.readouterr().err
