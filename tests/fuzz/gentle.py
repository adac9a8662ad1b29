"""Small changes to a valid text after which it is valid in most cases: layout, comments, numbers, names."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tests.fuzz.mutation import mutated

NUMBER = re.compile(r"(?<![\w.\"'])\d{1,4}(?![\w.\"'])")
NAME = re.compile(r"\b[a-z_][a-z_0-9]{2,}\b")
FIXED = re.compile(r"param|pow2|AddParameter|opset|#if")  # begins lines whose numbers belong together
COMMENTS = ("", "x", "é 漢", "\x1b[31m", "TODO: $(touch y)", "\u202e", "'", '"', "{0} %s")


def varied(rng: random.Random, text: str, comment: str, others: Sequence[str], wrong: float = 0.3) -> str:
    """The text with up to four small changes; in a share `wrong` of the cases with changes that may break it. `comment`
    is what begins a comment in its language."""
    for _ in range(rng.randrange(5)):
        text = rng.choice(CHANGES)(rng, text, comment)
    return mutated(rng, text, others) if rng.random() < wrong else text


def _number(rng: random.Random, text: str, comment: str) -> str:
    places = [
        place for place in NUMBER.finditer(text) if not FIXED.search(text, _line_start(text, place), place.start())
    ]
    if not places:
        return text
    place = rng.choice(places)
    number = int(place[0])
    changed = rng.choice((number, max(1, number // 2), number * 2))
    return text[: place.start()] + str(changed) + text[place.end() :]


def _line_start(text: str, place: re.Match[str]) -> int:
    return text.rfind("\n", 0, place.start()) + 1


def _comment_line(rng: random.Random, text: str, comment: str) -> str:
    lines = text.split("\n")
    place = rng.randrange(len(lines) + 1)
    while 0 < place <= len(lines) and lines[place - 1].rstrip().endswith(("\\", ",", "(")):
        place -= 1
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())] if place < len(lines) else ""
    lines.insert(place, f"{indent}{comment} {rng.choice(COMMENTS)}")
    return "\n".join(lines)


def _spaces(rng: random.Random, text: str, comment: str) -> str:
    """Trailing spaces, an empty line, or other ends of lines."""
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    if lines[place].endswith("\\"):
        return text
    lines[place] += rng.choice((" ", "\t", "   ", "\n"))
    return "\n".join(lines)


def _ends(rng: random.Random, text: str, comment: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if rng.random() < 0.3 else text.rstrip("\n") + "\n"


def _rename(rng: random.Random, text: str, comment: str) -> str:
    """One of the text's own names (that occurs at least twice and starts a declaration) under another name."""
    names = sorted(
        {name for name in NAME.findall(text) if re.search(rf"(float|int|double) \*?{name}\b|^{name} =", text, re.M)}
    )
    if not names:
        return text
    name = rng.choice(names)
    return re.sub(rf"\b{name}\b", rng.choice((name + "_2", name.upper() + "x", name * 2)), text)


Change = Callable[[random.Random, str, str], str]
CHANGES: tuple[Change, ...] = (_number, _number, _comment_line, _spaces, _ends, _rename)
