from __future__ import annotations

import argparse

import pytest

from tunepass.commands.grammar.values import duration, seeds, size_word


@pytest.mark.parametrize("text,seconds", [("90s", 90), ("10m", 600), ("1h30m", 5400), ("0.5s", 0.5), ("1h2m3s", 3723)])
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "0s", "-5s", "1d", "s", "1s1m", "1e3s", "infs", "nans", "9" * 400 + "h"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a duration"):
        duration(text)


@pytest.mark.parametrize("text,found", [("0..3", (0, 1, 2, 3)), ("7", (7,)), ("4,1, 2..4", (4, 1, 2, 3))])
def test_seeds(text: str, found: tuple[int, ...]) -> None:
    assert seeds(text) == found


@pytest.mark.parametrize("text", ["", "a", "3..1", "1,,2", "-1", "1..", "0..999999999", "1.5"])
def test_what_are_no_seeds(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="seeds are written like"):
        seeds(text)


@pytest.mark.parametrize("text", ["", "x", "N=", "=3", "N=0", "N=-1", "N=1.5", f"N={2**40}"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a size is written like"):
        size_word(text)


def test_a_size_is_a_word_for_frontends() -> None:
    assert size_word("N=007") == "--size=N=7"
