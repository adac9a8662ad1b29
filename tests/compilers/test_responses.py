"""Files of words, as gcc and clang read them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.compilers.responses import expanded, joined, split

TEXTS = {
    "-DA=1\t-DB=2\n": ["-DA=1", "-DB=2"],
    "'-DA=x y' \"-DB='z'\"": ["-DA=x y", "-DB='z'"],
    r"-DA=\"q\" -DB='\'' -DC=\\": ['-DA="q"', "-DB='", "-DC=\\"],
    "-DA='a'\"b\"c -DB=''": ["-DA=abc", "-DB="],
    "-DA=a\\\nb": ["-DA=a\nb"],
    "'' \"\"": ["", ""],
    "  \n ": [],
    "'-DA=open": ["-DA=open"],
}


@pytest.mark.parametrize("text", TEXTS)
def test_words(text: str) -> None:
    assert list(split(text)) == TEXTS[text]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("text", [text for text, words in TEXTS.items() if words and "" not in words])
def test_compilers_read_the_same_words(compiler: str, text: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    (tmp_path / "words").write_text(text)
    (tmp_path / "x.c").write_text("")
    alone, spelt = (
        subprocess.run(
            [compiler, "-###", "-S", "x.c", "-o", "x.s", *words], cwd=tmp_path, stderr=-1, text=True, check=True
        )
        for words in (["@words"], TEXTS[text])
    )
    assert _called(alone.stderr) == _called(spelt.stderr) != []


def _called(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if "-D" in line and "COLLECT" not in line]


def test_files_name_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("one @b 'four @none'")
    (tmp_path / "b").write_text("two @c")
    (tmp_path / "c").write_text("three")
    assert expanded(["@a", "x", "@", "@none", "@."]) == (
        ["one", "two", "three", "four @none", "x", "@", "@none", "@."],
        ["a", "b", "c"],
    )


def test_what_is_joined_is_split_again() -> None:
    words = ["a b", 'c"d', "e\\f", "g'h", "", "i\nj", "@k"]
    assert list(split(joined(words))) == words
