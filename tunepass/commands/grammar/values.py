"""Values of options: text in, a value out, or a message that gives the syntax."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from tunepass import registry
from tunepass.diagnostics import TunepassError, spelling_hint

MOST_SEEDS = 10_000
_UNIT_S = {"h": 3600.0, "m": 60.0, "s": 1.0}
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")


def duration(text: str) -> float:
    """Seconds of `90s`, `10m`, `1h30m`; a bare number is refused, because nobody agrees on its unit."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise argparse.ArgumentTypeError(f"a duration is written like 90s, 10m or 1h30m, got {text!r}")
    seconds = sum(float(part) * _UNIT_S[unit] for part, unit in zip(match.groups(), "hms") if part)
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"a duration must be positive and finite, got {text!r}")
    return seconds


def at_least(low: int) -> type[int]:
    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if not low <= value < 2**31:
            raise argparse.ArgumentTypeError(f"expected an integer of at least {low}, got {text!r}")
        return value

    return convert  # type: ignore[return-value]  # argparse wants a type, a function does


def names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(name.isidentifier() for name in names) or len(set(names)) != len(names):
        raise argparse.ArgumentTypeError(f"expected distinct names separated by commas, got {text!r}")
    return names


def check_name(text: str) -> str:
    """The name of a check in the ledger."""
    from tunepass.study.ledger import CHECKS

    if text not in CHECKS:
        hint = spelling_hint(text, list(CHECKS), f"there are {', '.join(CHECKS)}")
        raise argparse.ArgumentTypeError(f"there is no check {text!r}: {hint}")
    return text


def named(role: str) -> Callable[[str], str]:
    """A name that a role has, built in or a plug-in's, or the path of a class (`package.module:Class`)."""

    def convert(text: str) -> str:
        try:
            known = registry.has(role, text, paths=True)
        except TunepassError as error:
            raise argparse.ArgumentTypeError(error.sentence) from None
        if not known:
            raise argparse.ArgumentTypeError(registry.unknown(role, text).sentence)
        return text

    return convert


def braced(role: str) -> str:
    """The built-in names of a role, as help shows choices."""
    return f"{{{','.join(registry.built_in(role))}}}"


def size_word(text: str) -> str:
    """A word for frontends, which know the names."""
    name, _, value = text.rpartition("=")
    if not name or not value.isdecimal() or not 0 < int(value) < 2**40:
        raise argparse.ArgumentTypeError(f"a size is written like N=4096, got {text!r}")
    return f"--size={name}={int(value)}"


def seeds(text: str) -> tuple[int, ...]:
    """`0..9`, `3`, `1,4,7..9`: distinct, in the order given."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\.\.(\d{1,9}))?\s*", part)
        lo, hi = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if lo > hi or len(numbers) + hi - lo >= MOST_SEEDS:
            raise argparse.ArgumentTypeError(
                f"seeds are written like 0..9 or 1,4,7 ({MOST_SEEDS} at most), got {text!r}"
            )
        numbers += range(lo, hi + 1)
    return tuple(dict.fromkeys(numbers))
